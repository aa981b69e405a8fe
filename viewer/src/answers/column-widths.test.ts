import { expect, test } from "vitest";
import { DRAGGED_PX, widthsIn, withWidth } from "./column-widths";

const COLUMNS = [
  { id: "name", widthPx: 340, leastPx: 140 },
  { id: "category", widthPx: 200, leastPx: 100 },
  { id: "duration", widthPx: 90, leastPx: 90 },
];

test("where there is room, columns are as wide as their texts ask", () => {
  expect(widthsIn(COLUMNS, 1000, new Map())).toEqual([340, 200, 90]);
});

test("texts give way to figures, each by the same part, and not below their least", () => {
  expect(widthsIn(COLUMNS, 480, new Map())).toEqual([240, 150, 90]);
  expect(widthsIn(COLUMNS, 100, new Map())).toEqual([140, 100, 90]);
});

test("a column that was dragged keeps its width, and the others give way", () => {
  const dragged = withWidth(new Map(), "category", 300);
  expect(widthsIn(COLUMNS, 630, dragged)).toEqual([240, 300, 90]);
  expect(widthsIn(COLUMNS, 1000, withWidth(dragged, "category", null))).toEqual([340, 200, 90]);
  expect([...withWidth(new Map(), "name", -5).values(), ...withWidth(new Map(), "name", 1e9).values()]).toEqual([
    DRAGGED_PX.min,
    DRAGGED_PX.max,
  ]);
});
