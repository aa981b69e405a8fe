import { ticks, type View } from "@tilescope/client";
import { expect, it } from "vitest";
import { alignedView, formatAlignment, offsetBetween, parseAlignment } from "./alignment";

/** Start of a view in picoseconds, with the part of a tick as a fraction of 10⁶. */
function startPs({ startTicks, startFraction }: View, tickPs: number): number {
  return Number(startTicks) * tickPs + startFraction * tickPs;
}

it("reads what it writes, and nothing else", () => {
  for (const text of ["start", "off", "step.5-7", "step.5-7.train.1-2", "event.3.15-4.7", "hand.-1200", "hand.0"]) {
    expect(formatAlignment(parseAlignment(text)!)).toBe(text);
  }
  for (const text of ["", "step.5", "step.-1-2", "event.1.2-3", "hand.", "hand.1e9", "middle"]) {
    expect(parseAlignment(text)).toBeNull();
  }
});

it("keeps scale and time between runs of different ticks", () => {
  for (const [fromPs, toPs] of [
    [1000, 1],
    [1, 1000],
    [1000, 1000],
    [300, 700],
  ] as const) {
    for (const offsetPs of [0n, 123_456_789n, -123_456_789n]) {
      const view: View = { startTicks: ticks(-77_001n), startFraction: 0.25, ticksPerPx: 12.5, widthPx: 800 };
      const other = alignedView(view, fromPs, toPs, offsetPs, 640);
      expect(startPs(other, toPs)).toBeCloseTo(startPs(view, fromPs) + Number(offsetPs), 2);
      expect(other.ticksPerPx * toPs).toBeCloseTo(view.ticksPerPx * fromPs, 9);
      expect(other.startFraction).toBeGreaterThanOrEqual(0);
      expect(other.startFraction).toBeLessThan(1);
      expect(other.widthPx).toBe(640);
    }
  }
});

it("is exact where a float is not", () => {
  const far = 9_007_199_254_740_993n;
  const view: View = { startTicks: ticks(far), startFraction: 0, ticksPerPx: 1, widthPx: 100 };
  const offsetPs = offsetBetween(far, 1, far + 2n, 1);
  expect(offsetPs).toBe(2n);
  expect(alignedView(view, 1, 1, offsetPs, 100).startTicks).toBe(far + 2n);
  expect(alignedView(alignedView(view, 1, 1, offsetPs, 100), 1, 1, -offsetPs, 100)).toEqual(view);
});

it("is the same to the last digit between runs of equal ticks, whichever leads", () => {
  for (let k = 1; k <= 200; k++) {
    const [startFraction, ticksPerPx] = [(k * 0.618) % 1, 1 / (k * 0.7)];
    const view: View = { startTicks: ticks(BigInt(k) ** 7n), startFraction, ticksPerPx, widthPx: 800 };
    for (const tickPs of [1, 7, 1000, 41_667]) {
      expect(alignedView(view, tickPs, tickPs, 0n, 800)).toEqual(view);
      const later = alignedView(view, tickPs, tickPs, 12n * BigInt(tickPs), 800);
      expect(later).toEqual({ ...view, startTicks: ticks(view.startTicks + 12n) });
      expect(alignedView(later, tickPs, tickPs, -12n * BigInt(tickPs), 800)).toEqual(view);
    }
  }
});
