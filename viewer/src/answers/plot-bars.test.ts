import { expect, test } from "vitest";
import { heatShare } from "./plot-bars";

test("nothing but zeros is painted lightest", () => {
  expect(heatShare(0, 0, 0)).toBe(0);
  expect(heatShare(3, 3, 3)).toBe(1);
  expect(heatShare(2, 0, 4)).toBe(0.5);
});
