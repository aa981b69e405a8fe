import type { ToolAnswer, Track } from "@tilescope/client";
import { ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { column, table } from "../answers/test-tables";
import type { Trace } from "../state/trace";
import { eventOf, hasNamesakes, highlightOf, isOfRow, queryOf, rowQuestion } from "./row-events";

const LONG = "void kernel<".padEnd(600, "x");

const NAMES = table([
  column("name_id", "id", [7, 9, 11]),
  column("name", "name", ['say "hi"\\', LONG, ""]),
  column("category", "text", ["k", "", ""]),
  column("longest", "ticks", ["12", "5", "1"]),
]);
const CATEGORIES = table([column("category", "text", ["k", ""])]);
const PROCESSES = table([column("track", "track", [20, null]), column("process", "name", ["p", "q"])]);

const leaf = (id: number) => ({ id, kind: "slice", children: [] }) as unknown as Track;
const rollup = { id: 20, kind: "rollup", children: [3, 4] } as unknown as Track;
const trace = {
  tracks: new Map([leaf(3), leaf(4), leaf(5), rollup].map((track) => [track.id, track])),
  manifest: { time: { tickPs: 1000 } },
} as unknown as Pick<Trace, "tracks" | "manifest">;

const WHERE = { range: { startTicks: ticks(-5n), endTicks: ticks(50n) }, tracks: new Set([3, 4]) };

it("finds the events of a name by the name and its category, exactly", () => {
  expect(queryOf("name", NAMES, 0)).toBe('"say \\"hi\\"\\\\" cat:"k"');
  expect(queryOf("category", CATEGORIES, 0)).toBe('cat:"k"');
});

it("tells names without a category from their namesakes", () => {
  const namesakes = table([column("name", "name", ["gemm", "gemm"]), column("category", "text", ["", "kernel"])]);
  expect([hasNamesakes(namesakes), hasNamesakes(NAMES)]).toEqual([true, false]);
  expect(queryOf("name", namesakes, 0)).toBe('"gemm" cat:""');
  expect(queryOf("name", namesakes, 1)).toBe('"gemm" cat:"kernel"');
});

it("finds names that are longer than a search by how they begin and end", () => {
  const query = queryOf("name", NAMES, 1)!;
  expect(query.length).toBeLessThan(480);
  const pattern = new RegExp(query.slice(1, -1).replace("(?s:.*)", "[^]*"));
  expect(pattern.test(LONG)).toBe(true);
  expect([pattern.test(`${LONG}y`), pattern.test(LONG.replace("<", "("))]).toEqual([false, false]);
});

it("has no words for events without a name, and for other groups", () => {
  expect(queryOf("name", NAMES, 2)).toBeNull();
  expect(queryOf("category", CATEGORIES, 1)).toBeNull();
  expect(queryOf("process", PROCESSES, 0)).toBeNull();
});

it("asks for the first event of a row, or for the first of those that start there and are as long as the longest", () => {
  const first = rowQuestion("name", NAMES, 0, "first", WHERE, trace);
  expect(first).toEqual({
    ...{ start: -5n, end: 50n, tracks: "3-4", limit: 1, names: 0, totals: "false" },
    query: queryOf("name", NAMES, 0),
  });
  const longest = rowQuestion("name", NAMES, 0, "longest", WHERE, trace);
  expect(longest).toEqual({ ...first, query: `${queryOf("name", NAMES, 0)} dur=12000ps`, after: "0,0,0" });
  expect(rowQuestion("name", NAMES, 2, "first", WHERE, trace)).toBeNull();
});

it("reads the event of an answer", () => {
  const events = table([column("event", "event", ["4.17"])], { id: "events" });
  expect(eventOf({ tables: [events] } as unknown as ToolAnswer)).toEqual({ track: 4, ordinal: 17 });
  const none = table([column("event", "event", [])], { id: "events" });
  expect(eventOf({ tables: [none] } as unknown as ToolAnswer)).toBeNull();
});

it("has the events of a name, of a category or of the tracks of a group stand out", () => {
  const name = highlightOf("name", NAMES, 0, trace)!;
  expect(name).toEqual({ kind: "query", key: `row ${queryOf("name", NAMES, 0)}`, query: queryOf("name", NAMES, 0) });
  expect(highlightOf("name", NAMES, 2, trace)).toBeNull();
  const process = highlightOf("process", PROCESSES, 0, trace)!;
  expect(process.kind === "tracks" && [...process.tracks].sort((a, b) => a - b)).toEqual([3, 4, 20]);
  expect(highlightOf("process", PROCESSES, 1, trace)).toBeNull();
  expect([isOfRow(name), isOfRow({ ...name, key: "search fusion" }), isOfRow(null)]).toEqual([true, false, false]);
});
