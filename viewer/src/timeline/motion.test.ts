import { fit, type TickRange, ticks, type View, visibleRange, xOfTick } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { FrameLoop } from "./frame";
import { Motion } from "./motion";

const BOUNDS: TickRange = { startTicks: ticks(0), endTicks: ticks(1_000_000_000) };

function stage(reducedMotion = false) {
  const waiting: ((nowMs: number) => void)[] = [];
  let nowMs = 0;
  let rests = 0;
  let view: View = fit(BOUNDS, 1000);
  const loop = new FrameLoop(
    () => undefined,
    (callback) => waiting.push(callback),
  );
  const motion = new Motion(loop, {
    view: () => view,
    setView: (next) => {
      view = next;
    },
    bounds: () => BOUNDS,
    anchorXPx: () => 250,
    prefersReducedMotion: () => reducedMotion,
    rested: () => {
      rests += 1;
    },
  });
  const run = (frames: number) => {
    for (let k = 0; k < frames; k++) {
      nowMs += 16;
      for (const callback of waiting.splice(0)) {
        callback(nowMs);
      }
    }
  };
  return { motion, run, view: () => view, rests: () => rests, isIdle: () => waiting.length === 0 };
}

describe("Motion", () => {
  it("zooms while a key is held, at the pointer, and stops when it is released", () => {
    const { motion, run, view, rests, isIdle } = stage();
    const under = visibleRange(view()).startTicks + BigInt(Math.round(250 * view().ticksPerPx));
    motion.hold("zoom-in", false);
    run(20);
    expect(view().ticksPerPx).toBeLessThan(1_000_000 / 1.5);
    expect(xOfTick(view(), under)).toBeCloseTo(250, 0);
    expect([motion.isMoving, rests()]).toEqual([true, 0]);
    motion.release("zoom-in");
    run(2);
    expect(isIdle()).toBe(true);
    expect([motion.isMoving, rests()]).toEqual([false, 1]);
  });

  it("moves for a key that is let go before a frame could, once", () => {
    for (const frames of [0, 1]) {
      const { motion, run, view, rests, isIdle } = stage();
      const before = view().ticksPerPx;
      motion.hold("zoom-in", false);
      run(frames);
      expect(view().ticksPerPx, "the first frame only says when it began").toBe(before);
      motion.release("zoom-in");
      run(1);
      const after = view().ticksPerPx;
      expect(after).toBeLessThan(before);
      run(3);
      expect(view().ticksPerPx).toBe(after);
      expect([isIdle(), rests()]).toEqual([true, 1]);
    }
  });

  it("is faster with shift and after a while", () => {
    const slow = stage();
    slow.motion.hold("zoom-in", false);
    slow.run(10);
    const fast = stage();
    fast.motion.hold("zoom-in", true);
    fast.run(10);
    expect(fast.view().ticksPerPx).toBeLessThan(slow.view().ticksPerPx);
  });

  it("glides to exactly the view that was asked for", () => {
    const { motion, run, view, rests, isIdle } = stage();
    const target = fit({ startTicks: ticks(1234), endTicks: ticks(5678) }, 1000);
    motion.glideTo(target);
    run(5);
    expect(view()).not.toEqual(target);
    expect([motion.isMoving, rests()]).toEqual([true, 0]);
    run(30);
    expect([motion.isMoving, rests()]).toEqual([false, 1]);
    expect(view()).toEqual(target);
    expect(isIdle()).toBe(true);
  });

  it("adds up steps that follow each other", () => {
    const { motion, run, view } = stage();
    const before = view().ticksPerPx;
    motion.zoomStep(0.5, 500);
    run(2);
    motion.zoomStep(0.5, 500);
    run(40);
    expect(view().ticksPerPx).toBeCloseTo(before / 4, 3);
  });

  it("jumps where reduced motion is wished", () => {
    const { motion, view, isIdle } = stage(true);
    motion.zoomStep(0.5, 500);
    expect(isIdle()).toBe(true);
    expect(visibleRange(view()).endTicks).toBeLessThan(BOUNDS.endTicks);
  });
});
