import { describe, expect, it } from "vitest";
import { wheelGesture, wheelZoomFactor } from "./pointer";

const wheel = { deltaX: 0, deltaY: 100, ctrlKey: false, shiftKey: false };

describe("wheelGesture", () => {
  it("scrolls, zooms with ctrl, pans with shift and sideways", () => {
    expect(wheelGesture(wheel, false)).toBe("scroll-tracks");
    expect(wheelGesture({ ...wheel, ctrlKey: true }, false)).toBe("zoom-at-pointer");
    expect(wheelGesture({ ...wheel, shiftKey: true }, false)).toBe("pan");
    expect(wheelGesture({ ...wheel, deltaX: 100, deltaY: 3 }, false)).toBe("pan");
  });

  it("swaps scrolling and zooming where the wheel is set to zoom", () => {
    expect(wheelGesture(wheel, true)).toBe("zoom-at-pointer");
    expect(wheelGesture({ ...wheel, ctrlKey: true }, true)).toBe("scroll-tracks");
    expect(wheelGesture({ ...wheel, shiftKey: true }, true)).toBe("pan");
  });
});

describe("wheelZoomFactor", () => {
  it("zooms in upwards and back by the same", () => {
    expect(wheelZoomFactor(-100)).toBeLessThan(1);
    expect(wheelZoomFactor(100) * wheelZoomFactor(-100)).toBeCloseTo(1);
  });

  it("makes a pinch's small steps count, and limits large ones", () => {
    expect(wheelZoomFactor(5)).toBeGreaterThan(1.05);
    expect(wheelZoomFactor(5000)).toBe(wheelZoomFactor(300));
  });
});
