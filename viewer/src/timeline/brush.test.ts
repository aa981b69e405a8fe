import { fit, type TickRange, ticks, visibleRange, xOfTick } from "@tilescope/client";
import { describe, expect, test } from "vitest";
import { wholeView } from "../state/view";
import { brushPartAt, edgeDragged, minimapView, windowOf } from "./brush";

const run = range(0, 1_000_000);
const whole = wholeView(run, 1000);

function range(start: number, end: number): TickRange {
  return { startTicks: ticks(start), endTicks: ticks(end) };
}

describe("what the minimap shows", () => {
  test("the whole run lines up with the timeline's view of the whole run", () => {
    expect(minimapView(run, null, whole)).toEqual(whole);
    expect(xOfTick(whole, 0n)).toBeCloseTo(20);
    expect(windowOf(minimapView(run, null, whole), whole)).toEqual({ fromPx: 0, toPx: 1000 });
  });

  test("the busy part while the view lies in it, else the whole", () => {
    const busy = range(900_000, 910_000);
    const first = wholeView(busy, 1000);
    expect(minimapView(run, busy, first)).toEqual(first);
    expect(minimapView(run, busy, fit(range(903_000, 904_000), 1000))).toEqual(first);
    expect(minimapView(run, busy, fit(range(890_000, 904_000), 1000))).toEqual(whole);
    expect(minimapView(run, busy, whole)).toEqual(whole);
  });
});

describe("the window", () => {
  test("is where the view is, and never too thin to be seen", () => {
    const window = windowOf(whole, fit(range(250_000, 500_000), 1000));
    expect(window.fromPx).toBeCloseTo(xOfTick(whole, 250_000n), 3);
    expect(window.toPx).toBeCloseTo(xOfTick(whole, 500_000n), 3);
    const thin = windowOf(whole, fit(range(999_990, 1_000_000), 1000));
    expect(thin.toPx - thin.fromPx).toBe(6);
    expect(thin.toPx).toBeLessThanOrEqual(1000);
  });

  test("is taken by its edges, by its inside, or not at all", () => {
    const window = { fromPx: 100, toPx: 200 };
    const parts = [90, 95, 100, 105, 150, 195, 200, 205, 210].map((x) => brushPartAt(window, x));
    expect(parts).toEqual(["outside", "start", "start", "start", "inside", "end", "end", "end", "outside"]);
  });

  test("when thin, has its edges outside, so that it can be moved", () => {
    const window = { fromPx: 100, toPx: 106 };
    const parts = [93, 96, 101, 105, 109, 113].map((x) => brushPartAt(window, x));
    expect(parts).toEqual(["outside", "start", "inside", "inside", "end", "outside"]);
  });
});

describe("an edge that is dragged", () => {
  test("follows the hand while the other stays", () => {
    const view = edgeDragged(whole, ticks(200_000), xOfTick(whole, 600_000n), run);
    const { startTicks, endTicks } = visibleRange(view);
    expect(Number(startTicks)).toBeCloseTo(200_000, -1);
    expect(Math.abs(Number(endTicks) - 600_000)).toBeLessThan(2000);
  });

  test("may pass the other", () => {
    const { startTicks, endTicks } = visibleRange(edgeDragged(whole, ticks(200_000), xOfTick(whole, 50_000n), run));
    expect(Math.abs(Number(startTicks) - 50_000)).toBeLessThan(2000);
    expect(Math.abs(Number(endTicks) - 200_000)).toBeLessThan(2000);
  });

  test("cannot leave the run", () => {
    const view = edgeDragged(whole, ticks(900_000), 5000, run);
    expect(visibleRange(view).endTicks).toBeLessThan(1_100_000n);
  });
});
