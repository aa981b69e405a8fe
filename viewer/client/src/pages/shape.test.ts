import { expect, test } from "vitest";
import { encodeShape, type ShapeRow } from "../testing/page";
import { FormatError } from "./error";
import { NO_TILE, ShapeIndex } from "./shape";

const ROWS: ShapeRow[] = [
  [0, 8, 1, 1 | 4, 5],
  [0, 9, 0, 1, 6],
  [0, 9, 1, 1 | 4, 7],
  [1, 1, 0, 1 | 4, 3],
  [1, 2, 0, 0, 6],
  [1, 2, 1, 0, 12],
  [2, 0, 0, 4, 9],
  [2, 0, 1, 2, 12],
];
const shape = ShapeIndex.decode(encodeShape(3, ROWS), 3);

test("finds tiles by slot, level and index", () => {
  ROWS.forEach(([level, index, slot, , events], position) => {
    expect(shape.find(slot, level, index)).toBe(position);
    expect(shape.eventsAt(position)).toBe(events);
    expect([shape.levelAt(position), shape.indexAt(position), shape.slotAt(position)]).toEqual([level, index, slot]);
  });
  expect(shape.find(0, 0, 8)).toBe(NO_TILE);
  expect(shape.find(5, 0, 9)).toBe(NO_TILE);
  expect(shape.find(0, 3, 0)).toBe(NO_TILE);
});

test("knows kinds, levels and ranges", () => {
  expect([0, 4, 7].map((position) => shape.kindAt(position))).toEqual(["leaf", "interior", "terminal"]);
  expect(shape.levels(0)).toEqual([2, 1, 0]);
  expect(shape.levels(9)).toEqual([]);
  expect([...shape.range(1, 0, 0, 8)]).toEqual([0]);
  expect([...shape.range(1, 0, 8, 9)]).toEqual([0, 2]);
  expect([...shape.range(1, 0, 10, 90)]).toEqual([]);
});

test("each tile is in the page that begins at or before it", () => {
  expect(shape.pageAt(1)).toEqual({ block: 3, level: 0, index: 8, slot: 1 });
  expect(shape.pageAt(2)).toEqual({ block: 3, level: 0, index: 9, slot: 1 });
  expect(shape.pageAt(5)).toEqual({ block: 3, level: 1, index: 1, slot: 0 });
  expect(shape.pageAt(7)).toEqual({ block: 3, level: 2, index: 0, slot: 0 });
});

test("refuses records that are no record of the block, out of order, or without pages", () => {
  expect(() => ShapeIndex.decode(encodeShape(2, ROWS), 3)).toThrow(FormatError);
  expect(() => ShapeIndex.decode(encodeShape(3, [ROWS[0]!, ROWS[2]!, ROWS[1]!]), 3)).toThrow("out of order");
  expect(() => ShapeIndex.decode(encodeShape(3, [[0, 0, 0, 1, 1]]), 3)).toThrow("no page");
  expect(() => ShapeIndex.decode(encodeShape(3, [[0, 0, 32, 5, 1]]), 3)).toThrow("slot 32");
});
