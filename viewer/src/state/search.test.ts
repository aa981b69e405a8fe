import type { ToolAnswer } from "@tilescope/client";
import { expect, it } from "vitest";
import { makePane } from "./pane";
import { type Found, faultAt, foundOf, isPlaceAlone, searchState } from "./search";
import type { Trace } from "./trace";

it("finds the place of a fault in what the server says", () => {
  expect(faultAt("query, character 8: this quotation mark is not closed")).toBe(7);
  expect(faultAt('the regular expression "(" cannot be used: missing )')).toBeNull();
});

it("reads what is found, and what of it is not listed", () => {
  const column = (id: string, values: readonly (string | number)[]) => ({ id, values });
  const columns = [
    column("name", ["b", "a"]),
    column("category", ["x", ""]),
    column("count", [3, 1]),
    column("busy", ["9007199254740993", "2"]),
  ];
  const tables = [{ id: "names", columns, rest: { count: 5, busy: "7" } }];
  const facts = [
    { id: "count", value: 9 },
    { id: "busy", value: "9007199254741002" },
  ];
  expect(foundOf({ complete: false, facts, tables } as unknown as ToolAnswer)).toEqual({
    count: 9n,
    busyTicks: 9007199254741002n,
    names: [
      { name: "b", category: "x", count: 3n, busyTicks: 9007199254740993n },
      { name: "a", category: "", count: 1n, busyTicks: 2n },
    ],
    rest: { count: 5n, busyTicks: 7n },
    isComplete: false,
  });
});

it("takes a typed place for a search only where events are found by its words", () => {
  const pane = makePane();
  const trace = { manifest: { time: { tickPs: 1000, originNs: 0n } } } as unknown as Trace;
  const foundWith = (count: bigint): Found => ({ count, busyTicks: 0n, names: [], rest: null, isComplete: true });
  expect(isPlaceAlone(pane, trace, "450 ms")).toBe(true);
  expect(isPlaceAlone(pane, trace, "matmul")).toBe(false);
  searchState(pane).searchResult.value = { kind: "answered", key: "", answer: foundWith(0n) };
  expect(isPlaceAlone(pane, trace, "step 7")).toBe(true);
  searchState(pane).searchResult.value = { kind: "answered", key: "", answer: foundWith(2n) };
  expect(isPlaceAlone(pane, trace, "step 7")).toBe(false);
});
