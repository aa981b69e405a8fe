import { describe, expect, test } from "vitest";
import { Random } from "../testing/random";
import { ticks } from "./time";
import {
  centreOn,
  clamp,
  fit as fitRange,
  pan,
  resize,
  sameView,
  type TickRange,
  tickAtX,
  type View,
  visibleRange,
  xOfTick,
  zoomAt,
} from "./view";

const bounds: TickRange = { startTicks: ticks(0), endTicks: ticks(1_000_000) };

function view(startTicks: bigint, ticksPerPx: number, startFraction = 0): View {
  return { startTicks: ticks(startTicks), startFraction, ticksPerPx, widthPx: 1000 };
}

describe("fit", () => {
  test("shows exactly the range between the padding", () => {
    const fitted = fitRange({ startTicks: ticks(500), endTicks: ticks(1300) }, 1000, 100);
    expect(xOfTick(fitted, 500n)).toBeCloseTo(100);
    expect(xOfTick(fitted, 1300n)).toBeCloseTo(900);
  });

  test("shows a range of an address as that range, at any width", () => {
    const random = new Random(3);
    for (let round = 0; round < 5000; round++) {
      const startTicks = ticks(BigInt(random.below(2 ** 31)) * BigInt(1 + random.below(2 ** 20)) - 1000n);
      const spanTicks = BigInt(100 + random.below(2 ** random.below(31))) * BigInt(1 + random.below(2 ** 10));
      const range = { startTicks, endTicks: ticks(startTicks + spanTicks) };
      expect(visibleRange(fitRange(range, 1 + random.below(4000)))).toEqual(range);
    }
  });

  test("a single instant is centred at the closest zoom", () => {
    const fitted = fitRange({ startTicks: ticks(7), endTicks: ticks(7) }, 1000);
    expect(fitted.ticksPerPx).toBe(0.01);
    expect(xOfTick(fitted, 7n)).toBeCloseTo(450);
  });
});

describe("zoomAt", () => {
  test("keeps the point under the cursor, through 40 steps in and out at any place", () => {
    const random = new Random(1);
    let current = view(400_000n, 100);
    for (let step = 0; step < 40; step++) {
      const xPx = 300 + random.below(400);
      const before = Number(current.startTicks) + current.startFraction + xPx * current.ticksPerPx;
      current = zoomAt(current, xPx, step < 20 ? 0.7 : 1.2, bounds);
      const after = Number(current.startTicks) + current.startFraction + xPx * current.ticksPerPx;
      expect(Math.abs(after - before)).toBeLessThan(1e-6);
      expect(current.startFraction).toBeGreaterThanOrEqual(0);
      expect(current.startFraction).toBeLessThan(1);
    }
  });

  test("stops at a tick of 100 px and at the whole run", () => {
    expect(zoomAt(view(500_000n, 1), 500, 1e-9, bounds).ticksPerPx).toBe(0.01);
    const out = zoomAt(view(500_000n, 1), 500, 1e9, bounds);
    expect(xOfTick(out, 0n)).toBeCloseTo(50);
    expect(xOfTick(out, 1_000_000n)).toBeCloseTo(950);
  });

  test("is exact far from the origin", () => {
    const far: TickRange = { startTicks: ticks(0), endTicks: ticks(2n ** 60n) };
    const start = 2n ** 59n + 12_345n;
    const zoomed = zoomAt(view(start, 1), 500, 0.5, far);
    expect(zoomed.startTicks).toBe(start + 250n);
    expect(tickAtX(zoomed, 500)).toBe(start + 500n);
  });
});

test("pan moves by pixels and stops near the ends of the run", () => {
  expect(pan(view(1000n, 0.25), 2, bounds)).toEqual(view(1000n, 0.25, 0.5));
  expect(pan(view(1000n, 0.25), -2, bounds)).toEqual(view(999n, 0.25, 0.5));
  expect(xOfTick(pan(view(1000n, 10), -1e9, bounds), 0n)).toBeCloseTo(50);
  expect(xOfTick(pan(view(1000n, 10), 1e9, bounds), 1_000_000n)).toBeCloseTo(950);
});

test("clamp leaves a good view as it is, and centreOn and resize obey it", () => {
  const good = view(1000n, 10, 0.5);
  expect(clamp(good, bounds)).toBe(good);
  expect(xOfTick(centreOn(good, ticks(500_000), bounds), 500_000n)).toBeCloseTo(500);
  expect(resize(good, 800, bounds)).toEqual({ ...good, widthPx: 800, ticksPerPx: 12.5 });
  expect(visibleRange(resize(good, 640, bounds))).toEqual(visibleRange(good));
});

test("ticks and pixels convert both ways, with fractions", () => {
  const fine = view(10n, 0.01, 0.5);
  expect(xOfTick(fine, 11n)).toBeCloseTo(50);
  expect(tickAtX(fine, 49.9)).toBe(10n);
  expect(tickAtX(fine, 50.1)).toBe(11n);
  expect(visibleRange(fine)).toEqual({ startTicks: 10n, endTicks: 21n });
  expect(sameView(fine, { ...fine })).toBe(true);
  expect(sameView(fine, { ...fine, startFraction: 0.25 })).toBe(false);
});
