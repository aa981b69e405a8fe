import { expect, test } from "vitest";
import { clampRows, moveRows, showRow, zoomPart, zoomRows } from "./row-view";

test("the row under the pointer stays where it is", () => {
  const before = { from: 100, to: 300 };
  for (const part of [0, 0.25, 0.5, 1]) {
    const after = zoomRows(before, part, 0.5, 1000);
    expect(after.from + part * (after.to - after.from)).toBeCloseTo(100 + 200 * part, 9);
    expect(after.to - after.from).toBeCloseTo(100, 9);
  }
});

test("a view stays within the rows", () => {
  expect(zoomRows({ from: 10, to: 20 }, 0.5, 1000, 30)).toEqual({ from: 0, to: 30 });
  expect(moveRows({ from: 10, to: 20 }, 100, 30)).toEqual({ from: 20, to: 30 });
  expect(moveRows({ from: 10, to: 20 }, -100, 30)).toEqual({ from: 0, to: 10 });
  expect(clampRows({ from: 0, to: 1 }, 0)).toEqual({ from: 0, to: 0 });
});

test("a row that is out of view comes to the middle", () => {
  expect(showRow({ from: 0, to: 10 }, 4, 100)).toEqual({ from: 0, to: 10 });
  expect(showRow({ from: 0, to: 10 }, 50, 100)).toEqual({ from: 45.5, to: 55.5 });
});

test("zooms around the chosen row all the way, and never loses it", () => {
  for (const chosen of [0, 2, 100, 351]) {
    let view = { from: 0, to: 352 };
    for (let step = 0; step < 30; step++) {
      view = zoomRows(view, zoomPart(view, chosen), 1 / 1.5, 352);
      expect(view.from <= chosen + 0.5 && chosen + 0.5 <= view.to).toBe(true);
    }
    expect(view.to - view.from).toBeCloseTo(0.2);
  }
  expect(zoomPart({ from: 10, to: 20 }, 3)).toBe(0.5);
  expect(zoomPart({ from: 10, to: 20 }, -1)).toBe(0.5);
});
