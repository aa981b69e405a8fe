import { fit, ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { fixedEnd, formatRate, isBeside, measureText, spanOf } from "./timing";

it("writes how often a second has a duration", () => {
  expect(formatRate(1_000_000_000n, 1)).toBe("1 kHz");
  expect(formatRate(3_000_000n, 1000)).toBe("333.3 Hz");
  expect(formatRate(1n, 1)).toBe("1 THz");
  expect(formatRate(3n, 1)).toBe("333.3 GHz");
  expect(formatRate(1_500_000_000_000n, 1)).toBe("666.7 mHz");
  expect(formatRate(7_200_000_000_000n, 1000)).toBe("0.139 mHz");
});

it("measures between two points, whichever comes first", () => {
  const span = spanOf(ticks(2_250_000n), ticks(1_000_000n));
  expect(span).toEqual({ startTicks: 1_000_000n, endTicks: 2_250_000n });
  expect(measureText(span, 1000)).toBe("1.25 ms · 800 Hz");
  expect(measureText(spanOf(ticks(5), ticks(5)), 1)).toBe("0 s");
});

it("takes hold of the end that is near, and leaves the other one where it is", () => {
  const range = spanOf(ticks(200), ticks(600));
  const view = fit(spanOf(ticks(0), ticks(1000)), 1000);
  const endFrom = (xPx: number) => fixedEnd(range, view, xPx);
  expect([194, 195, 205, 206].map(endFrom)).toEqual([null, 600n, 600n, null]);
  expect([594, 595, 605, 606].map(endFrom)).toEqual([null, 200n, 200n, null]);
  // Where both are within reach, the nearer one.
  const narrow = spanOf(ticks(400), ticks(403));
  expect([399, 404].map((xPx) => fixedEnd(narrow, view, xPx))).toEqual([403n, 400n]);
});

it("is beside an interval where no end of it is within reach", () => {
  const view = fit(spanOf(ticks(0), ticks(1000)), 1000);
  const range = spanOf(ticks(200), ticks(600));
  expect([190, 198, 400, 603, 620].map((xPx) => isBeside(range, view, xPx))).toEqual([true, false, false, false, true]);
});
