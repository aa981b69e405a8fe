/** The slices in a range of time, as rows by start: those that start in it page by page, and those that reach into it. */

import { type BuildApi, plus, type TickRange, type ToolColumn, type ToolTable } from "@tilescope/client";
import { isGrowing } from "../state/answer-values";

/** All names match. */
const ALL = "/^/";

/** Rows that are fetched at a time. */
const PAGE_ROWS = 2000;
const PAGE_EVENTS = 50_000;

/** The columns, in the order in which one reads them; the server has further ones. */
const COLUMNS: Readonly<Record<string, string>> = {
  name: "Name",
  start: "Start",
  duration: "Duration",
  row: "Depth",
  track: "Track",
  category: "Category",
  event: "Event",
};

export interface SliceListing {
  readonly table: ToolTable;
  readonly range: TickRange;
  /** As questions name them; undefined: all. */
  readonly tracks: string | undefined;
  /** Slices that start in the range, all of them, however many are listed. */
  readonly starts: bigint;
  /** Slices that start before it and run in it; all of them are listed. */
  readonly reachIn: number;
  /** True if all of the tracks are built. */
  readonly isComplete: boolean;
}

type Rows = Readonly<Record<string, readonly (string | number | boolean | null)[]>>;
type Api = Pick<BuildApi, "ask" | "events">;

/** `tracks`: as questions name them; undefined: all. */
export async function listSlices(
  api: Api,
  range: TickRange,
  tracks: string | undefined,
  signal: AbortSignal,
): Promise<SliceListing> {
  const [answer, before] = await Promise.all([
    api.ask("search", { ...pageOf(range, tracks), names: 0 }, signal),
    reachingIn(api, range, tracks, signal),
  ]);
  const table = eventsOf(answer.tables);
  const count = answer.facts.find(({ id }) => id === "count")?.value ?? 0;
  return {
    ...{ table: withRows(table, before), range, tracks },
    starts: BigInt(String(count)),
    reachIn: before.event!.length,
    isComplete: !isGrowing(answer),
  };
}

/** The listing with the page that follows. */
export async function listMore(api: Api, listing: SliceListing, signal: AbortSignal): Promise<SliceListing> {
  const { range, tracks } = listing;
  const { more } = listing.table;
  if (more === null) {
    return listing;
  }
  const answer = await api.ask("search", { ...pageOf(range, tracks), after: more, totals: "false" }, signal);
  const rows = Object.fromEntries(listing.table.columns.map(({ id, values }) => [id, values]));
  return { ...listing, table: withRows(eventsOf(answer.tables), rows) };
}

function pageOf({ startTicks, endTicks }: TickRange, tracks: string | undefined) {
  return { query: ALL, start: startTicks, end: endTicks, tracks, limit: PAGE_ROWS };
}

function eventsOf(tables: readonly ToolTable[]): ToolTable {
  return tables.find(({ id }) => id === "events")!;
}

/** A table of our columns: some rows, and those of an answer after them. */
function withRows(table: ToolTable, before: Rows): ToolTable {
  const columns = Object.entries(COLUMNS).flatMap(([id, title]): readonly ToolColumn[] => {
    const column = table.columns.find((candidate) => candidate.id === id);
    // A depth is no id, which would not be shown at first.
    const kind = id === "row" ? "count" : column?.kind;
    return column === undefined || kind === undefined
      ? []
      : [{ ...column, kind, title, values: [...(before[id] ?? []), ...column.values] }];
  });
  return { ...table, id: "slices", title: "Slices in view", columns };
}

/** Slices that reach into the range, of every row of every track at most a few: as many as there are levels of nesting. */
async function reachingIn(api: Api, range: TickRange, tracks: string | undefined, signal: AbortSignal): Promise<Rows> {
  const start = range.startTicks;
  const lines: { readonly start: bigint; readonly cells: Rows[string] }[] = [];
  let after: string | null = null;
  do {
    const question = { start, end: plus(start, 1n), tracks, limit: PAGE_EVENTS, ...(after === null ? {} : { after }) };
    const { columns, names, after: next } = await api.events(question, signal);
    columns.startTicks.forEach((startTicks, k) => {
      if (startTicks < start && columns.value[k] === null) {
        const [name, category] = names[columns.nameId[k]!] ?? ["", ""];
        const [track, ordinal, row] = [columns.track[k]!, columns.ordinal[k]!, columns.row[k]!];
        const duration = String(columns.durationTicks[k]!);
        const cells = [name, String(startTicks), duration, row, track, category, `${track}.${ordinal}`];
        lines.push({ start: startTicks, cells });
      }
    });
    after = next;
  } while (after !== null);
  // Those of a track come in their order, and sorting keeps that.
  lines.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  return Object.fromEntries(Object.keys(COLUMNS).map((id, k) => [id, lines.map(({ cells }) => cells[k]!)]));
}
