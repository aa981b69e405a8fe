/** The events that a row of statistics sums up: which they are in the timeline, and in words of a search. Pure. */

import type { TickRange, ToolAnswer, ToolQuestion, ToolTable } from "@tilescope/client";
import type { Figure } from "../answers/figures";
import type { Highlight } from "../state/highlight";
import type { Trace } from "../state/trace";
import { isSliced, questionTracks, spanQuestion } from "./question-tracks";

/** Characters of a search, at most, with room for a duration: as `MAX_QUERY` of the server. */
const MOST_CHARACTERS = 460;

type Tracks = Pick<Trace, "tracks">;

/** Scope in which events are looked for. */
interface Where {
  readonly range: TickRange;
  readonly tracks: ReadonlySet<number>;
}

/** True if events of rows by this can be searched for. */
export function hasQueries(by: string): boolean {
  return by === "name" || by === "category";
}

/** True if rows have one name and different categories. */
export function hasNamesakes(table: ToolTable): boolean {
  const names = table.columns.find(({ id }) => id === "name")?.values ?? [];
  return new Set(names).size < names.length;
}

/** Figure of a row in a column; null where there is no such column. */
function cellOf(table: ToolTable, row: number, column: string): Figure {
  return table.columns.find(({ id }) => id === column)?.values[row] ?? null;
}

/** Highlight for a row: events of its name or category, else those of its tracks; null where that cannot be told. */
export function highlightOf(by: string, table: ToolTable, row: number, { tracks }: Tracks): Highlight | null {
  if (hasQueries(by)) {
    const query = queryOf(by, table, row);
    return query === null ? null : { kind: "query", key: `row ${query}`, query };
  }
  const track = cellOf(table, row, "track");
  return typeof track === "number" ? highlightOfTracks([track], { tracks }) : null;
}

/** Highlight for a row of groups in groups: events of its name, or of its track; null where the row has neither. */
export function highlightOfPair(table: ToolTable, row: number, { tracks }: Tracks): Highlight | null {
  const query = cellOf(table, row, "query");
  const track = cellOf(table, row, "track");
  if (typeof query === "string") {
    return { kind: "query", key: `row ${query}`, query };
  }
  return typeof track === "number" ? highlightOfTracks([track], { tracks }) : null;
}

/** True if a row has set the highlight. */
export function isOfRow(shown: Highlight | null): boolean {
  return shown?.key.startsWith("row ") === true;
}

/** Highlight for tracks, and for those that a rollup sums. */
export function highlightOfTracks(ids: readonly number[], { tracks }: Tracks): Highlight {
  const all = ids.flatMap((id) => [id, ...(tracks.get(id)?.children ?? [])]);
  return { kind: "tracks", key: `row tracks ${ids.join(" ")}`, tracks: new Set(all) };
}

/** A search that finds the row's events, among those of its tracks; null where the language has no words for them. */
export function queryOf(by: string, table: ToolTable, row: number): string | null {
  if (by === "name") {
    const name = cellOf(table, row, "name");
    const category = cellOf(table, row, "category");
    if (typeof name !== "string" || name === "") {
      return null;
    }
    // A name without a category is told from its namesakes by having none.
    const ofCategory = (category ?? "") === "" && !hasNamesakes(table) ? "" : ` cat:${quoted(String(category ?? ""))}`;
    return nameQuery(name, ofCategory);
  }
  const category = cellOf(table, row, "category");
  return by === "category" && typeof category === "string" && category !== "" ? `cat:${quoted(category)}` : null;
}

/** A search for the first event of a row, or for the first that is as long as the longest; null where there is none. */
export function rowQuestion(
  by: string,
  table: ToolTable,
  row: number,
  which: "first" | "longest",
  { range, tracks }: Where,
  trace: Pick<Trace, "tracks" | "manifest">,
): ToolQuestion | null {
  const query = queryOf(by, table, row);
  const named = questionTracks(trace.tracks, tracks, isSliced);
  if (query === null || named.kind === "none" || named.kind === "tooMany") {
    return null;
  }
  const span = {
    ...spanQuestion(range),
    tracks: named.kind === "some" ? named.text : undefined,
    ...{ limit: 1, names: 0, totals: "false" },
  };
  const longest = cellOf(table, row, "longest");
  if (which === "first" || longest === null) {
    return { ...span, query };
  }
  const ps = BigInt(String(longest)) * BigInt(trace.manifest.time.tickPs);
  // Durations are of events that start in the span, not of those that reach into it.
  const from = range.startTicks < 0n ? 0n : range.startTicks;
  return { ...span, query: `${query} dur=${ps}ps`, after: `${from},0,0` };
}

/** The first event of an answer. */
export function eventOf({ tables }: ToolAnswer): { readonly track: number; readonly ordinal: number } | null {
  const events = tables.find(({ id }) => id === "events")?.columns.find(({ id }) => id === "event");
  const [track, ordinal] = String(events?.values[0] ?? "")
    .split(".")
    .map(Number);
  return track === undefined || ordinal === undefined ? null : { track, ordinal };
}

/** Names that are longer than a search are found by how they begin and end. */
function nameQuery(name: string, ofCategory: string): string {
  const whole = quoted(name) + ofCategory;
  if (whole.length <= MOST_CHARACTERS) {
    return whole;
  }
  const half = Math.floor((MOST_CHARACTERS - ofCategory.length) / 4);
  return `/^${escaped(name.slice(0, half))}(?s:.*)${escaped(name.slice(-half))}$/${ofCategory}`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** As a regular expression that matches this text alone. */
function escaped(text: string): string {
  return text.replace(/[^A-Za-z0-9_ ]/g, (sign) => (sign.charCodeAt(0) < 0x80 ? `\\${sign}` : sign));
}
