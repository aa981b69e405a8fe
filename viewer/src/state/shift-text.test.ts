import { expect, test } from "vitest";
import { parseShift } from "./shift-text";

test.each([
  ["+1.5ms", 1000, 1_500_000n],
  ["-200us", 1000, -200_000n],
  ["−200 µs", 1000, -200_000n],
  ["1 234.5ns", 1, 1_234_500n],
  ["499ps", 1000, 0n],
  ["500ps", 1000, 1n],
  ["0", 1, 0n],
  ["1.000000000001s", 1, 1_000_000_000_001n],
])("%s in ticks of %d ps", (text, tickPs, ticks) => {
  expect(parseShift(text, tickPs)).toBe(ticks);
});

test.each(["", "5", "soon", "1h", "1.5.ms", "--1ms", "999999999999999999s"])("%s is no shift", (text) => {
  expect(parseShift(text, 1)).toBeNull();
});
