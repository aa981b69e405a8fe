import type { ToolTable } from "@tilescope/client";
import { expect, it } from "vitest";
import { bothTimelines, hasOtherPlaces, otherRun } from "./both-timelines";

function table(columns: Readonly<Record<string, readonly unknown[]>>): ToolTable {
  return { columns: Object.entries(columns).map(([id, values]) => ({ id, values })) } as unknown as ToolTable;
}

const CHANGES = table({
  track: [3, null, null],
  base_track: [5, 6, null],
  query: ['"a"', null, null],
  base_query: ['"a"', '"b"', null],
});

function parts(hash: string, row: number): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(bothTimelines(hash, CHANGES, row, "old")!.slice(1)));
}

it("takes the other run from the one build that is chosen", () => {
  expect(otherRun("old/1")).toBe("old");
  expect(otherRun("old/1,older/2")).toBeNull();
  expect(otherRun("")).toBeNull();
});

it("leads to the row's track in each run, and searches for its events", () => {
  expect(hasOtherPlaces(CHANGES)).toBe(true);
  expect(hasOtherPlaces(table({ track: [1] }))).toBe(false);
  const hash = "#v=1&t=10-90&tool=compare&f.match=normalised&top=9";
  expect(parts(hash, 0)).toEqual({ v: "1", t: "10-90", q: '"a"', top: "3", second: "run=old&top=5" });
  expect(parts(hash, 1)).toEqual({ v: "1", t: "10-90", q: '"b"', second: "run=old&top=6" });
  expect(bothTimelines(hash, CHANGES, 2, "old")).toBeNull();
});

it("aligns the steps that are compared", () => {
  expect(parts("#v=1&tool=compare&in=steps.9&f.against_steps=5-6", 0)).toMatchObject({ align: "step.9-5" });
  expect(parts("#v=1&tool=compare&in=steps.9-12", 0)).toMatchObject({ align: "step.9-9" });
});
