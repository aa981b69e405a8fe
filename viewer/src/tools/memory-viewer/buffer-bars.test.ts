import type { ToolColumn, ToolTable } from "@tilescope/client";
import { expect, test } from "vitest";
import { ShortNames } from "../../raster/short-name";
import { measureGlyphs } from "../../raster/text";
import { barAt, barLabel, bufferBars, HUES } from "./buffer-bars";

type Row = readonly [name: string, size: number, unpadded: number, first: number, last: number, atPeak: boolean];

function table(rows: readonly Row[]): ToolTable {
  const ids = ["name", "size", "unpadded", "first", "last", "at_peak"];
  const kinds = ["name", "bytes", "bytes", "count", "count", "flag"] as const;
  const columns = ids.map((id, k): ToolColumn => {
    const values = rows.map((row) => (typeof row[k] === "number" ? String(row[k]) : row[k]!));
    return { id, title: id, kind: kinds[k]!, unit: "", total: "none", values };
  });
  return {
    id: "buffers",
    title: "",
    parent: null,
    nested: [],
    opens: [],
    columns,
    totals: null,
    rest: null,
    more: null,
  };
}

const ROWS: readonly Row[] = [
  ["short", 300, 300, 0, 4, true],
  ["padded", 500, 125, 3, 9, true],
  ["long", 100, 100, 0, 10, true],
  ["later", 900, 900, 8, 9, false],
  ["empty", 0, 0, 0, 10, true],
];

test("bars are as wide as buffers are large, in both orders, in one colour each", () => {
  const { bySize, byProgram, otherBytes, end } = bufferBars(table(ROWS), 1000);
  expect(bySize.map(({ name, left, width }) => [name, left, width])).toEqual([
    ["padded", 0, 0.5],
    ["short", 0.5, 0.3],
    ["long", 0.8, 0.1],
  ]);
  expect(byProgram.map(({ name, left }) => [name, left])).toEqual([
    ["long", 0],
    ["short", 0.1],
    ["padded", 0.4],
  ]);
  expect(bySize.map(({ padding }) => padding)).toEqual([0.75, 0, 0]);
  expect([otherBytes, end]).toEqual([100, 0.9]);
  for (const bar of bySize) {
    expect(byProgram.find(({ row }) => row === bar.row)?.hue).toBe(bar.hue);
  }
});

test("more at the peak than it has is drawn to its end", () => {
  const { bySize, otherBytes, end } = bufferBars(table(ROWS), 10);
  expect([bySize.at(-1)!.left + bySize.at(-1)!.width, otherBytes, end]).toEqual([1, 0, 1]);
  expect(bufferBars(table([]), 0)).toEqual({ bySize: [], byProgram: [], otherBytes: 0, end: 0 });
});

test("the bar at a place is that below the pointer, and of very narrow ones the widest near it", () => {
  const { bySize } = bufferBars(table(ROWS), 1000);
  expect([0, 0.49, 0.51, 0.85, 0.95].map((share) => barAt(bySize, share, 0.001))).toEqual([0, 0, 1, 2, null]);
  const many = Array.from({ length: 50_000 }, (_, k): Row => [`b${k}`, k === 25_000 ? 2 : 1, 1, k, k, true]);
  const bars = bufferBars(table(many), 50_001);
  expect(bars.bySize).toHaveLength(50_000);
  expect(new Set(bars.bySize.map(({ hue }) => hue)).size).toBe(HUES);
  expect(bars.byProgram[barAt(bars.byProgram, 0.5, 0.001)!]!.name).toBe("b25000");
});

test("a bar without room for a name has what tells it from its like, and nothing rather than half of that", () => {
  const glyphs = measureGlyphs(() => 6);
  const names = new ShortNames();
  names.add(["tensor_28", "tensor_3", "weights", "multiply.1234"]);
  const label = (name: string, roomPx: number) => barLabel(name, names.form(name), roomPx, glyphs);
  expect(label("tensor_28", 54)).toBe("tensor_28");
  expect(label("tensor_28", 48)).toBe("tens…_28");
  expect(label("tensor_28", 38)).toBe("…_28");
  expect(label("tensor_3", 48)).toBe("tensor_3");
  expect(label("tensor_28", 20)).toBe("");
  expect(label("weights", 38)).toBe("weigh…");
  expect(label("multiply.1234", 38)).toBe("….1234");
});
