import { expect, test } from "vitest";
import { percentDigits } from "./percent";

test.each([
  [0, 1, "0.0"],
  [1, 1, "100.0"],
  [1.198, 1, "119.8"],
  [0.4137, 0, "41"],
  [0.0004, 1, "<0.1"],
  [0.9996, 1, ">99.9"],
  [0.9994, 1, "99.9"],
  [0.004, 0, "<1"],
  [0.996, 0, ">99"],
])("%d with %d decimals is %s", (share, decimals, text) => {
  expect(percentDigits(share, decimals)).toBe(text);
});

test("no part is nothing or all", () => {
  for (let k = 1; k < 60; k++) {
    for (const share of [2 ** -k, 1 - 2 ** -Math.min(k, 53)]) {
      for (let decimals = 0; decimals < 4; decimals++) {
        const digits = percentDigits(share, decimals);
        expect([0, 100]).not.toContain(Number(digits));
      }
    }
  }
});
