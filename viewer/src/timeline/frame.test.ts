import { describe, expect, it, vi } from "vitest";
import { FrameLoop } from "./frame";

/** Frames that come when the test says so. */
function manualFrames() {
  const waiting: ((nowMs: number) => void)[] = [];
  return {
    request: (callback: (nowMs: number) => void) => waiting.push(callback),
    count: () => waiting.length,
    run: (nowMs: number) => {
      for (const callback of waiting.splice(0)) {
        callback(nowMs);
      }
    },
  };
}

describe("FrameLoop", () => {
  it("asks for one frame for many changes, and for none while idle", () => {
    const frames = manualFrames();
    const paint = vi.fn();
    const loop = new FrameLoop(paint, frames.request);
    loop.invalidate();
    loop.invalidate();
    expect(frames.count()).toBe(1);
    frames.run(0);
    expect(paint).toHaveBeenCalledTimes(1);
    expect(frames.count()).toBe(0);
  });

  it("runs an animation until it has ended, with the time that passed", () => {
    const frames = manualFrames();
    const loop = new FrameLoop(() => undefined, frames.request);
    const deltas: number[] = [];
    loop.animate("zoom", (_now, deltaMs) => {
      deltas.push(deltaMs);
      return deltas.length < 4;
    });
    for (const nowMs of [100, 116, 132, 5000, 5016]) {
      frames.run(nowMs);
    }
    expect(deltas).toEqual([0, 16, 16, 100]);
    expect(frames.count()).toBe(0);
    expect(loop.isAnimating("zoom")).toBe(false);
  });

  it("keeps an animation that replaced the one that just ended", () => {
    const frames = manualFrames();
    const loop = new FrameLoop(() => undefined, frames.request);
    const second = vi.fn(() => false);
    loop.animate("move", () => {
      loop.animate("move", second);
      return false;
    });
    frames.run(0);
    frames.run(16);
    expect(second).toHaveBeenCalledTimes(1);
  });
});
