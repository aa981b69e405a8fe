/** Searches for names: the answer of the tool `search`, made of the name table, histograms, and the pages on which names start. */

import type { ToolAnswerJson, ToolColumn, ToolTable } from "../base/schema";
import type { ArchivedRun } from "./archived-run";
import { chosenEvents, type EventPosition } from "./name-hits";
import { type NameQuery, parseNameQuery } from "./name-query";
import { type GroupSum, NameSums, summed } from "./name-sums";
import { questionSpan, questionTracks } from "./question";
import { addSpan } from "./span-sums";
import { around, partsOf } from "./track-parts";

const FIELDS = new Set(["query", "start", "end", "tracks", "limit", "after", "backward", "totals", "names"]);
const DEFAULT_ROWS = 100;

/** The answer to a question; null where it takes a server. */
export async function searchAnswer(run: ArchivedRun, question: URLSearchParams): Promise<ToolAnswerJson | null> {
  const query = parseNameQuery(question.get("query") ?? "");
  if (query === null || [...question.keys()].some((field) => !FIELDS.has(field))) {
    return null;
  }
  const names = await matchingNames(run, query);
  const tracks = await matchingTracks(run, query, await questionTracks(run, question.get("tracks")));
  const { within } = await questionSpan(run, question, false);
  const facts: ToolAnswerJson["facts"][number][] = [
    {
      ...{ id: "names", label: "Names", kind: "count", value: String(names.size) },
      note: "that match, whether or not they occur in the span",
    },
  ];
  const tables: ToolTable[] = [];
  if (question.get("totals") !== "false") {
    const rows = await sumsOfNames(run, tracks, names, within);
    const total = summed(rows.map(([, row]) => row));
    facts.push(
      { id: "count", label: "Events", kind: "count", value: String(total.count), note: "" },
      {
        ...{ id: "busy", label: "Busy", kind: "ticks", value: String(total.busy) },
        note: "within the span, each event by itself",
      },
    );
    tables.push(await namesTable(run, rows, Number(question.get("names") ?? DEFAULT_ROWS)));
  }
  tables.push(await eventsTable(run, question, { tracks, names, span: within }));
  return { complete: true, headline: null, facts, tables, series: [], notes: [] };
}

/** Ids of the names that a query selects. */
export async function matchingNames(run: ArchivedRun, query: NameQuery): Promise<ReadonlySet<number>> {
  const { count, page_size } = (await run.manifest()).public.names;
  const numbers = Array.from({ length: Math.ceil(count / page_size) }, (_, page) => page);
  const pages = await Promise.all(numbers.map((page) => run.names(page)));
  const ids = new Set<number>();
  for (const [id, [name, category]] of pages.flat().entries()) {
    if (query.names.every((test) => test(name)) && query.categories.every((test) => test(category))) {
      ids.add(id);
    }
  }
  return ids;
}

/** Tracks of these that a query selects. */
export async function matchingTracks(run: ArchivedRun, query: NameQuery, tracks: readonly number[]): Promise<number[]> {
  const tree = await partsOf(run);
  return tracks.filter((id) => {
    const track = tree.tracks.get(id)!;
    const process = around(tree.parts, track.group, "process")?.name;
    const isOfProcess = query.processes.every((test) => process !== undefined && test(process));
    return isOfProcess && query.tracks.every((test) => test(track.name));
  });
}

async function sumsOfNames(
  run: ArchivedRun,
  tracks: readonly number[],
  names: ReadonlySet<number>,
  span: { readonly start: bigint; readonly stop: bigint },
): Promise<[number, GroupSum][]> {
  const sums = new NameSums();
  const none: ReadonlySet<number> = new Set();
  const { root_level } = (await run.manifest()).public;
  await addSpan(
    run,
    sums,
    tracks.map((track) => ({ track, group: null, leftOut: none })),
    root_level,
    span,
  );
  return sums.busiestFirst().filter(([name]) => names.has(name));
}

function column(id: string, title: string, kind: ToolColumn["kind"], values: ToolColumn["values"]): ToolColumn {
  return { id, title, kind, unit: "", total: "sum", values };
}

async function namesTable(
  run: ArchivedRun,
  rows: readonly (readonly [number, GroupSum])[],
  limit: number,
): Promise<ToolTable> {
  const listed = rows.slice(0, limit);
  const entries = await Promise.all(listed.map(([name]) => run.name(name)));
  const sumsOf = (part: readonly (readonly [number, GroupSum])[]) => {
    const total = summed(part.map(([, row]) => row));
    return { count: String(total.count), busy: String(total.busy) };
  };
  return {
    ...{ id: "names", title: "Names", parent: null, nested: [], opens: [], more: null },
    columns: [
      column(
        "name_id",
        "Name id",
        "id",
        listed.map(([name]) => name),
      ),
      column(
        "name",
        "Name",
        "name",
        entries.map(([name]) => name),
      ),
      column(
        "category",
        "Category",
        "text",
        entries.map(([, category]) => category),
      ),
      column(
        "count",
        "Count",
        "count",
        listed.map(([, row]) => String(row.count)),
      ),
      column(
        "busy",
        "Busy",
        "ticks",
        listed.map(([, row]) => String(row.busy)),
      ),
    ],
    totals: sumsOf(rows),
    rest: rows.length > limit ? sumsOf(rows.slice(limit)) : null,
  };
}

async function eventsTable(
  run: ArchivedRun,
  question: URLSearchParams,
  chosen: Omit<Parameters<typeof chosenEvents>[1], "after" | "isBackward">,
): Promise<ToolTable> {
  const limit = Number(question.get("limit") ?? DEFAULT_ROWS);
  const wish = { ...chosen, after: placeOf(question.get("after")), isBackward: question.get("backward") === "true" };
  const events = limit === 0 ? [] : await chosenEvents(run, wish, limit + 1);
  const listed = events.slice(0, limit);
  const entries = await Promise.all(listed.map(({ name }) => run.name(name)));
  const last = listed.at(-1);
  return {
    ...{ id: "events", title: "Events by time", parent: null, nested: [], opens: [], totals: null, rest: null },
    columns: [
      column(
        "event",
        "Event",
        "event",
        listed.map(({ track, ordinal }) => `${track}.${ordinal}`),
      ),
      column(
        "track",
        "Track",
        "track",
        listed.map(({ track }) => track),
      ),
      column(
        "name",
        "Name",
        "name",
        entries.map(([name]) => name),
      ),
      column(
        "category",
        "Category",
        "text",
        entries.map(([, category]) => category),
      ),
      column(
        "start",
        "Start",
        "time",
        listed.map(({ start }) => String(start)),
      ),
      column(
        "duration",
        "Duration",
        "ticks",
        listed.map(({ duration }) => String(duration)),
      ),
      column(
        "row",
        "Row",
        "id",
        listed.map(({ row }) => row),
      ),
    ],
    more: events.length > limit && last !== undefined ? `${last.start},${last.track},${last.ordinal}` : null,
  };
}

function placeOf(text: string | null): EventPosition | null {
  const [, start, track, ordinal] = /^(\d{1,19}),(\d{1,19}),(\d{1,19})$/.exec(text ?? "") ?? [];
  return start === undefined ? null : { start: BigInt(start), track: Number(track), ordinal: Number(ordinal) };
}
