import { describe, expect, it } from "vitest";
import { GestureTracker } from "./gesture-tracker";

const point = (xPx: number, yPx = 0, timeMs = 0) => ({ xPx, yPx, timeMs });

describe("GestureTracker", () => {
  it("takes less than 5 px for a click", () => {
    const tracker = new GestureTracker();
    expect(tracker.down(0, "none", point(10))).toBe(true);
    expect(tracker.move(point(14))).toBeNull();
    expect(tracker.up(point(14))).toMatchObject({ kind: "click", gesture: "select-event" });
  });

  it("takes 5 px for a drag, and says where it began", () => {
    const tracker = new GestureTracker();
    tracker.down(0, "none", point(10));
    expect(tracker.move(point(15))).toMatchObject({ kind: "drag-start", gesture: "select-area", from: point(10) });
    expect(tracker.move(point(30))).toMatchObject({ kind: "drag-move", before: point(15), to: point(30) });
    expect(tracker.drag).toBe("select-area");
    expect(tracker.up(point(31))).toMatchObject({ kind: "drag-end", gesture: "select-area" });
    expect(tracker.drag).toBeNull();
  });

  it("pans with shift and with space, zooms with the middle button", () => {
    const tracker = new GestureTracker();
    for (const [button, modifier, gesture] of [
      [0, "shift", "pan"],
      [0, "space", "pan"],
      [1, "none", "zoom-to-range"],
    ] as const) {
      tracker.down(button, modifier, point(0));
      expect(tracker.move(point(9))).toMatchObject({ gesture });
      tracker.up(point(9));
    }
  });

  it("knows a double click", () => {
    const tracker = new GestureTracker();
    const click = (timeMs: number) => {
      tracker.down(0, "none", point(3, 3, timeMs));
      return tracker.up(point(3, 3, timeMs));
    };
    expect(click(0)).toMatchObject({ gesture: "select-event" });
    expect(click(200)).toMatchObject({ gesture: "zoom-to-event" });
    expect(click(300)).toMatchObject({ gesture: "select-event" });
    expect(click(900)).toMatchObject({ gesture: "select-event" });
  });

  it("adds with ctrl, however quickly, and drags as without it", () => {
    const tracker = new GestureTracker();
    for (const timeMs of [0, 100, 200]) {
      tracker.down(0, "ctrl", point(3, 3, timeMs));
      expect(tracker.up(point(3, 3, timeMs))).toMatchObject({ gesture: "add-event" });
    }
    tracker.down(0, "ctrl", point(0));
    expect(tracker.move(point(9))).toMatchObject({ gesture: "select-area" });
  });

  it("does with a plain drag and click what the tool does, and with others what they always do", () => {
    let tool: "select" | "pan" | "zoom" | "timing" = "timing";
    const tracker = new GestureTracker(() => tool);
    tracker.down(0, "none", point(0));
    expect(tracker.move(point(9))).toMatchObject({ gesture: "measure" });
    tool = "pan";
    expect(tracker.move(point(19))).toMatchObject({ kind: "drag-move", gesture: "measure" });
    tracker.up(point(19));
    tracker.down(1, "none", point(0));
    expect(tracker.move(point(9))).toMatchObject({ gesture: "zoom-to-range" });
    tracker.up(point(9));
    tool = "timing";
    tracker.down(0, "none", point(50));
    expect(tracker.up(point(50))).toMatchObject({ gesture: "measure-event" });
  });

  it("forgets a press that was taken away, and ignores other buttons", () => {
    const tracker = new GestureTracker();
    tracker.down(0, "none", point(0));
    tracker.cancel();
    expect(tracker.up(point(0))).toBeNull();
    expect(tracker.down(2, "none", point(0))).toBe(false);
  });
});
