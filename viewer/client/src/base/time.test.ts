import { describe, expect, test } from "vitest";
import {
  floorDiv,
  formatDuration,
  formatExactDuration,
  formatTime,
  groupDigits,
  minus,
  plus,
  type TimeBase,
  ticks,
} from "./time";

/** Narrow spaces as plain ones, to keep the expectations readable. */
const plain = (text: string): string => text.replaceAll("\u202f", " ");

describe("formatDuration", () => {
  test.each([
    [0n, "0 s"],
    [1n, "1 ps"],
    [950n, "950 ps"],
    [1000n, "1 ns"],
    [1234n, "1.234 ns"],
    [12_345_678n, "12.35 µs"],
    [2_000_000n, "2 µs"],
    [999_999n, "1 µs"],
    [123_456_000_000n, "123.5 ms"],
    [999_960_000_000n, "1 s"],
    [59_990_000_000_000n, "59.99 s"],
    [90_000_000_000_000n, "1 min 30 s"],
    [11_100_000_000_000_000n, "3 h 5 min"],
    [3_600_000_000_000_000n, "1 h"],
    [47n * 3_600_000_000_000_000n, "47 h"],
    [50n * 3_600_000_000_000_000n, "2 d 2 h"],
    [48n * 3_600_000_000_000_000n, "2 d"],
    [1_795_757_293_939_837_500_000n, "56.9 years"],
    [-1500n, "-1.5 ns"],
  ])("%s ps is %s", (duration, text) => {
    expect(formatDuration(duration, 1)).toBe(text);
  });

  test("counts in the run's ticks", () => {
    expect(formatDuration(1500n, 1000)).toBe("1.5 µs");
  });
});

test("formatExactDuration keeps all digits", () => {
  expect(plain(formatExactDuration(12_345_678n, 1))).toBe("12.345 678 µs");
  expect(plain(formatExactDuration(1_234_567_890_123_456_789n, 1))).toBe("1,234,567.890 123 456 789 s");
  expect(formatExactDuration(0n, 1)).toBe("0 s");
  expect(formatExactDuration(-1500n, 1)).toBe("-1.5 ns");
});

describe("formatTime", () => {
  const base: TimeBase = { tickPs: 1000, originNs: 1_769_853_600_000_000_001n };

  test("relative, ticks and UTC", () => {
    expect(plain(formatTime(1_234_567n, base, "relative"))).toBe("1.234 567 ms");
    expect(plain(formatTime(1_234_567n, base, "ticks"))).toBe("1,234,567");
    expect(plain(formatTime(1_234_567n, base, "utc"))).toBe("2026-01-31 10:00:00.001 234 568");
  });

  test("relative times count from the zero of the base", () => {
    expect(plain(formatTime(1_234_567n, { ...base, zeroTicks: 1_234_000n }, "relative"))).toBe("567 ns");
    expect(plain(formatTime(0n, { ...base, zeroTicks: 1_234_000n }, "relative"))).toBe("-1.234 ms");
    expect(plain(formatTime(1_234_567n, { ...base, zeroTicks: 1_234_000n }, "ticks"))).toBe("1,234,567");
  });

  test("picoseconds have three more digits in UTC", () => {
    expect(plain(formatTime(42n, { ...base, tickPs: 1 }, "utc"))).toBe("2026-01-31 10:00:00.000 000 001 042");
  });
});

test("ticks refuses what is not an integer", () => {
  expect(ticks("2305843009213693951")).toBe(2305843009213693951n);
  expect(() => ticks(1.5)).toThrow(RangeError);
});

test("floorDiv rounds down on both sides of zero", () => {
  expect([floorDiv(7n, 2n), floorDiv(-7n, 2n), floorDiv(-8n, 2n)]).toEqual([3n, -4n, -4n]);
});

test("groupDigits leaves short numbers alone", () => {
  expect(plain(groupDigits("1234567.1234"))).toBe("1,234,567.123 4");
  expect(groupDigits("123")).toBe("123");
});

test("plus and minus are exact beyond what a double holds", () => {
  const late = ticks("9007199254740993");
  expect(plus(late, 1n)).toBe(9007199254740994n);
  expect(minus(plus(late, 7n), late)).toBe(7n);
});
