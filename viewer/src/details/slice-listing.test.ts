import { type Events, type ToolAnswer, type ToolQuestion, ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { listMore, listSlices } from "./slice-listing";

const RANGE = { startTicks: ticks(100), endTicks: ticks(200) };

type Row = readonly [event: string, name: string, start: number];

function answer(rows: readonly Row[], count: number, more: string | null): ToolAnswer {
  const column = (id: string, kind: string, values: readonly (string | number)[]) =>
    ({ id, title: id, kind, unit: "", total: "none", values }) as const;
  const columns = [
    column(
      "event",
      "event",
      rows.map(([event]) => event),
    ),
    column(
      "track",
      "track",
      rows.map(([event]) => Number(event.split(".")[0])),
    ),
    column(
      "name",
      "name",
      rows.map(([, name]) => name),
    ),
    column(
      "category",
      "text",
      rows.map(() => ""),
    ),
    column(
      "start",
      "time",
      rows.map(([, , start]) => String(start)),
    ),
    column(
      "duration",
      "ticks",
      rows.map(() => "7"),
    ),
    column(
      "row",
      "id",
      rows.map(() => 0),
    ),
  ];
  const table = {
    id: "events",
    title: "Events by time",
    parent: null,
    nested: [],
    columns,
    totals: null,
    rest: null,
    more,
  };
  const facts = [{ id: "count", label: "Events", kind: "count", value: String(count), note: "" }];
  return { complete: true, facts, tables: [table], series: [], notes: [] } as unknown as ToolAnswer;
}

/** Slices that overlap the first tick: one that starts before it, a sample, and one that starts at it. */
function overlapping(after: string | null): Events {
  const columns = {
    ...{ track: [1, 2, 1], ordinal: [3n, 0n, 4n], nameId: [7, -1, 7], startTicks: [40, 90, 100].map(ticks) },
    ...{ durationTicks: [80, 0, 5].map(ticks), row: [0, 0, 1], open: [false, false, false], flags: [0, 0, 0] },
    value: [null, 5, null],
  };
  return { columns, names: { 7: ["outer", "c"] }, after };
}

function fake(pages: readonly ToolAnswer[], overlaps: readonly Events[]) {
  const questions: ToolQuestion[] = [];
  const [left, events] = [[...pages], [...overlaps]];
  const api = {
    ask: async (_tool: string, question: ToolQuestion) => {
      questions.push(question);
      return left.shift()!;
    },
    events: async () => events.shift()!,
  };
  return { api: api as unknown as Parameters<typeof listSlices>[0], questions };
}

const column = (listing: Awaited<ReturnType<typeof listSlices>>, id: string) =>
  listing.table.columns.find((column) => column.id === id)?.values;

describe("the slices in a range", () => {
  it("are those that start in it, and before them those that reach in, all of them", async () => {
    const { api } = fake([answer([["1.4", "inner", 100]], 1, null)], [overlapping("more"), overlapping(null)]);
    const listing = await listSlices(api, RANGE, "1", AbortSignal.abort());
    expect([listing.starts, listing.reachIn]).toEqual([1n, 2]);
    expect(column(listing, "event")).toEqual(["1.3", "1.3", "1.4"]);
    expect(column(listing, "name")).toEqual(["outer", "outer", "inner"]);
    expect(column(listing, "start")).toEqual(["40", "40", "100"]);
  });

  it("go on where a page ends, asked of the same range", async () => {
    const { api, questions } = fake(
      [answer([["1.4", "a", 100]], 2, "100,1,4"), answer([["1.5", "b", 150]], 2, null)],
      [overlapping(null)],
    );
    const signal = AbortSignal.abort();
    const first = await listSlices(api, RANGE, undefined, signal);
    const all = await listMore(api, first, signal);
    expect(column(all, "event")).toEqual(["1.3", "1.4", "1.5"]);
    expect([all.starts, all.reachIn, all.table.more]).toEqual([2n, 1, null]);
    expect(questions[1]).toMatchObject({ start: 100n, end: 200n, after: "100,1,4" });
    expect(await listMore(api, all, signal)).toBe(all);
  });
});
