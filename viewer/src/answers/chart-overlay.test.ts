import { expect, test } from "vitest";
import { spanBox } from "./chart-overlay";

const BOUNDS = { left: 50, right: 150, top: 10, bottom: 110 };
/** Points 0 to 10 over the plot. */
const toPixels = (x: number) => 50 + 10 * x;

function box(from: number, to: number, thickness: number) {
  const { left, top, width, height } = spanBox(
    { from, to, size: 1, fill: "", line: "" },
    thickness,
    BOUNDS,
    toPixels,
    4,
  );
  return [left, top, width, height];
}

test("a span lies where its points are, stands on the axis, and stays in the plot", () => {
  expect(box(2, 4, 30)).toEqual([65, 80, 30, 30]);
  expect(box(0, 10, 30)).toEqual([50, 80, 100, 30]);
  expect(box(3, 3, 500)).toEqual([75, 10, 10, 100]);
});

test("however little it is, it is seen", () => {
  const [left, top, width, height] = box(10, 10, 0.01);
  expect([left, top, width, height]).toEqual([145, 106, 5, 4]);
});
