import { fit, type TickRange, ticks, type View, visibleRange, xOfTick } from "@tilescope/client";
import { expect, test } from "vitest";
import { focusView } from "./focus";

const run = range(0, 1_000_000);
const shown = fit(range(100_000, 200_000), 1000);

function range(start: number, end: number): TickRange {
  return { startTicks: ticks(start), endTicks: ticks(end) };
}

function isZoomed(view: View): boolean {
  return view.ticksPerPx < shown.ticksPerPx;
}

test("the first time it centres, the second time it zooms", () => {
  const event = range(180_000, 184_000);
  const centred = focusView(shown, event, run);
  expect(centred.ticksPerPx).toBe(shown.ticksPerPx);
  expect(xOfTick(centred, 182_000n)).toBeCloseTo(500);
  const zoomed = focusView(centred, event, run);
  expect(xOfTick(zoomed, 180_000n)).toBeCloseTo(120, 0);
  expect(xOfTick(zoomed, 184_000n)).toBeCloseTo(880, 0);
});

test("near an edge of the run, where it cannot be centred, it zooms at once", () => {
  const whole = fit(run, 1000, 20);
  expect(isZoomed(focusView(whole, range(1000, 2000), run))).toBe(true);
  const left = fit(range(0, 100_000), 1000);
  expect(isZoomed(focusView(left, range(10_000, 11_000), run))).toBe(true);
});

test("what is far away comes into view, also at an edge", () => {
  const last = range(999_000, 1_000_000);
  const view = focusView(shown, last, run);
  expect(isZoomed(view)).toBe(false);
  expect(visibleRange(view).endTicks).toBeGreaterThan(last.endTicks);
});

test("a point of time is centred and then zoomed at", () => {
  const instant = range(190_000, 190_000);
  const centred = focusView(shown, instant, run);
  expect(xOfTick(centred, 190_000n)).toBeCloseTo(500);
  const closer = focusView(centred, instant, run);
  expect(closer.ticksPerPx).toBeLessThan(shown.ticksPerPx);
  expect(xOfTick(closer, 190_000n)).toBeCloseTo(500);
});
