import { describe, expect, it } from "vitest";
import { TouchTracker } from "./touch-tracker";

const point = (xPx: number, yPx: number, timeMs = 0) => ({ xPx, yPx, timeMs });

function pressed(): TouchTracker {
  const tracker = new TouchTracker();
  expect(tracker.down(1, point(100, 50), false)).toBeNull();
  return tracker;
}

describe("one finger", () => {
  it("taps, also where it is not steady, and taps twice at one place", () => {
    const tracker = pressed();
    expect(tracker.move(1, point(105, 54))).toBeNull();
    expect(tracker.up(1, point(105, 54, 90))).toMatchObject({ kind: "tap", point: { xPx: 100, yPx: 50 } });
    tracker.down(2, point(110, 60, 250), false);
    expect(tracker.up(2, point(110, 60, 300))?.kind).toBe("double-tap");
    // The third tap is a first one again.
    tracker.down(3, point(110, 60, 400), false);
    expect(tracker.up(3, point(110, 60, 450))?.kind).toBe("tap");
  });

  it("is no double tap later or elsewhere", () => {
    for (const next of [point(100, 50, 900), point(180, 50, 200)]) {
      const tracker = pressed();
      tracker.up(1, point(100, 50, 60));
      tracker.down(2, next, false);
      expect(tracker.up(2, next)?.kind).toBe("tap");
    }
  });

  it("pans from where it was put down, straight where it is moved nearly straight", () => {
    const straight = pressed();
    expect(straight.move(1, point(120, 53, 16))).toEqual({ kind: "pan", dxPx: 20, dyPx: 0 });
    expect(straight.move(1, point(125, 80, 32))).toEqual({ kind: "pan", dxPx: 5, dyPx: 0 });
    const slanted = pressed();
    expect(slanted.move(1, point(110, 60, 16))).toEqual({ kind: "pan", dxPx: 10, dyPx: 10 });
    expect(slanted.isPressed).toBe(false);
    expect(slanted.rested()).toBeNull();
  });

  it("flings at the speed of its end, and not after a rest", () => {
    const fast = pressed();
    fast.move(1, point(120, 50, 20));
    fast.move(1, point(140, 50, 40));
    expect(fast.up(1, point(140, 50, 40))).toEqual({ kind: "pan-end", fling: { xPxPerMs: 1, yPxPerMs: 0 } });
    const rested = pressed();
    rested.move(1, point(140, 50, 20));
    expect(rested.up(1, point(140, 50, 400))).toEqual({ kind: "pan-end", fling: { xPxPerMs: 0, yPxPerMs: 0 } });
  });

  it("begins an area when it rests, or at once at an edge", () => {
    const tracker = pressed();
    expect(tracker.rested()).toMatchObject({ kind: "area", phase: "start", from: { xPx: 100 } });
    expect(tracker.move(1, point(101, 50))).toMatchObject({ kind: "area", phase: "move", to: { xPx: 101 } });
    expect(tracker.up(1, point(180, 70))).toMatchObject({ phase: "end", from: { xPx: 100 }, to: { xPx: 180 } });
    expect(new TouchTracker().down(1, point(3, 4), true)).toMatchObject({ kind: "area", phase: "start" });
  });
});

describe("two fingers", () => {
  it("pinch at their middle, and pan with it; the one that stays pans on", () => {
    const tracker = pressed();
    tracker.down(2, point(200, 50), false);
    expect(tracker.isPressed).toBe(false);
    expect(tracker.move(2, point(300, 50))).toEqual({ kind: "pinch", atXPx: 200, factor: 0.5, dxPx: 50, dyPx: 0 });
    expect(tracker.up(2, point(300, 50))).toBeNull();
    expect(tracker.move(1, point(110, 55))).toEqual({ kind: "pan", dxPx: 10, dyPx: 5 });
  });

  it("end an area that was begun, and a third finger means nothing", () => {
    const tracker = pressed();
    tracker.rested();
    const end = tracker.down(2, point(200, 50), false);
    expect(end).toMatchObject({ kind: "area", phase: "end", from: { xPx: 100 }, to: { xPx: 100 } });
    expect(tracker.down(3, point(1, 1), false)).toBeNull();
    expect(tracker.move(3, point(50, 50))).toBeNull();
    expect(tracker.up(3, point(50, 50))).toBeNull();
  });

  it("that meet do not zoom without end, and a finger that is taken away is forgotten", () => {
    const tracker = pressed();
    tracker.down(2, point(116, 50), false);
    expect(tracker.move(2, point(100, 50))).toMatchObject({ factor: 1 });
    tracker.cancel();
    expect(tracker.up(1, point(100, 50))).toBeNull();
  });
});
