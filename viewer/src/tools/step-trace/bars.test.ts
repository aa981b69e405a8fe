import type { ToolColumn, ToolTable } from "@tilescope/client";
import { expect, test } from "vitest";
import { longestGap, longestRows, partRows, shareOf, ticksOf } from "./bars";

function table(rows: readonly (readonly [string, string, string, string])[]): ToolTable {
  const column = (id: string, place: number): ToolColumn =>
    ({
      id,
      title: id,
      kind: place < 2 ? "text" : "ticks",
      unit: "",
      total: "sum",
      values: rows.map((row) => row[place]!),
    }) as ToolColumn;
  const columns = ["row", "part", "start", "duration"].map(column);
  return {
    id: "parts",
    title: "One step",
    columns,
    parent: null,
    totals: null,
    rest: null,
    more: null,
  } as unknown as ToolTable;
}

const PARTS = table([
  ["Step", "Interval", "0", "25"],
  ["Step", "Forward and backward", "25", "50"],
  ["Step", "Tail", "75", "25"],
  ["stream_10", "stream_10_0", "40", "10"],
  ["stream_10", "stream_10_1", "80", "10"],
]);

test("rows have their parts, at places within the step", () => {
  const rows = partRows(PARTS);
  expect(rows.map(({ name, bars }) => [name, bars.length])).toEqual([
    ["Step", 3],
    ["stream_10", 2],
  ]);
  expect(rows[0]!.bars.map(({ left, width }) => [left, width])).toEqual([
    [0, 0.25],
    [0.25, 0.5],
    [0.75, 0.25],
  ]);
});

test("gaps are between parts of a row alone", () => {
  const [step, stream] = partRows(PARTS);
  expect(longestGap(step!)).toBeNull();
  expect(longestGap(stream!)).toBe(30n);
});

test("a part that lies in a longer one ends no gap", () => {
  const [row] = partRows(
    table([
      ["stream", "long", "0", "100"],
      ["stream", "short", "10", "10"],
      ["stream", "last", "105", "5"],
    ]),
  );
  expect(longestGap(row!)).toBe(5n);
});

test("ticks beyond doubles keep their digits", () => {
  const [row] = partRows(table([["Step", "Tail", "9007199254740993", "2"]]));
  expect(row!.bars[0]!.start + row!.bars[0]!.duration).toBe(9007199254740995n);
});

test("a step of no time has bars of no width", () => {
  expect(partRows(table([["Step", "Tail", "0", "0"]]))[0]!.bars[0]!.width).toBe(0);
});

test("a picture of few rows has those that take longest, in their order, below the step", () => {
  const rows = partRows(
    table([
      ["Step", "Tail", "0", "1"],
      ["stream_1", "stream_1_0", "0", "5"],
      ["stream_2", "stream_2_0", "0", "30"],
      ["stream_3", "stream_3_0", "0", "10"],
      ["stream_3", "stream_3_1", "20", "10"],
    ]),
  );
  expect(ticksOf(rows[3]!)).toBe(20n);
  expect(longestRows(rows, 2).map(({ name }) => name)).toEqual(["Step", "stream_2", "stream_3"]);
  expect(longestRows(rows, 9)).toEqual(rows);
  expect(longestRows([], 2)).toEqual([]);
});

test("a row has the share of its parts together, where all of them have one", () => {
  const bar = (share: number | null) => ({ name: "", start: 0n, duration: 1n, share, left: 0, width: 1 });
  expect(shareOf({ name: "", bars: [bar(0.25), bar(0.5)] })).toBe(0.75);
  expect(shareOf({ name: "", bars: [bar(0.25), bar(null)] })).toBeNull();
  expect(partRows(PARTS)[0]!.bars[0]!.share).toBeNull();
});
