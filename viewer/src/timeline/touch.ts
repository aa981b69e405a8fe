/** Fingers on the timeline: listens, and does what the touch tracker makes of it. Loaded where there is a touch screen. */

import { pan, zoomAt } from "@tilescope/client";
import { touchGestureOf } from "../keys/touch-gestures";
import { prefersReducedMotion } from "../state/settings";
import type { PointerActions, PointerSample } from "./gesture-tracker";
import { scrollTracks } from "./scroll-tracks";
import type { Stage } from "./stage";
import { type Fling, LONG_PRESS_MS, type TouchMeaning, TouchTracker } from "./touch-tracker";

const FLING = "fling";

/** A fling loses half of its speed in this time, and ends below so many pixels in a millisecond. */
const FLING_HALF_MS = 120;
const SLOW_PX_PER_MS = 0.03;

/** So that one feels that a long press has begun an area, under the finger that hides it. */
const BUZZ_MS = 8;

/** So far from the edge of an area a finger takes hold of it, tried from near to far. */
const GRAB_PX = [0, 4, -4, 8, -8, 12, -12, 16, -16];

export function connectTouch(
  element: HTMLElement,
  scroller: HTMLElement,
  stage: Stage,
  actions: PointerActions,
  signal: AbortSignal,
): void {
  const tracker = new TouchTracker();
  const options = { signal };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOverPinned = false;

  const sample = (event: PointerEvent): PointerSample => {
    const box = element.getBoundingClientRect();
    return { xPx: event.clientX - box.left, yPx: event.clientY - box.top, timeMs: event.timeStamp };
  };
  const move = (dxPx: number, dyPx: number) => {
    if (dxPx !== 0) {
      stage.motion.jumpTo(pan(stage.pane.view.peek(), -dxPx, stage.pane.bounds.peek()));
    }
    if (dyPx !== 0) {
      scrollTracks(scroller, isOverPinned, -dyPx);
    }
  };
  const fling = ({ xPxPerMs, yPxPerMs }: Fling) => {
    let [x, y] = [xPxPerMs, yPxPerMs];
    if (prefersReducedMotion() || Math.hypot(x, y) < 10 * SLOW_PX_PER_MS) {
      return;
    }
    stage.loop.animate(FLING, (_nowMs, deltaMs) => {
      move(x * deltaMs, y * deltaMs);
      const rest = 0.5 ** (deltaMs / FLING_HALF_MS);
      [x, y] = [x * rest, y * rest];
      return Math.hypot(x, y) > SLOW_PX_PER_MS;
    });
  };
  const act = (meaning: TouchMeaning | null) => {
    switch (meaning?.kind) {
      case "pan":
        return move(meaning.dxPx, meaning.dyPx);
      case "pan-end":
        return fling(meaning.fling);
      case "pinch": {
        const { atXPx, factor, dxPx, dyPx } = meaning;
        move(dxPx, dyPx);
        return stage.motion.jumpTo(zoomAt(stage.pane.view.peek(), atXPx, factor, stage.pane.bounds.peek()));
      }
      case "tap":
      case "double-tap":
        return actions.onMeaning({ kind: "click", gesture: touchGestureOf(meaning.kind), point: meaning.point });
      case "area": {
        const { phase, from, to, before } = meaning;
        const gesture = touchGestureOf("long-press");
        return actions.onMeaning({ kind: `drag-${phase}`, gesture, from, before, to });
      }
    }
  };
  /** The place at the edge of the selected area that a finger takes hold of, or the finger's own. */
  const grabbed = (point: PointerSample): PointerSample | undefined =>
    GRAB_PX.map((px) => ({ ...point, xPx: point.xPx + px })).find((place) => actions.isEdgeAt(place));

  element.addEventListener(
    "pointerdown",
    (event) => {
      if (event.pointerType !== "touch") {
        return;
      }
      const point = sample(event);
      const edge = grabbed(point);
      stage.loop.stop(FLING);
      isOverPinned = point.yPx < stage.pane.layout.peek().pinnedPx;
      element.focus({ preventScroll: true });
      element.setPointerCapture(event.pointerId);
      clearTimeout(timer);
      act(tracker.down(event.pointerId, edge ?? point, edge !== undefined));
      if (tracker.isPressed) {
        timer = setTimeout(() => {
          if (tracker.isPressed) {
            act(tracker.rested());
            navigator.vibrate?.(BUZZ_MS);
          }
        }, LONG_PRESS_MS);
      }
    },
    options,
  );
  element.addEventListener(
    "pointermove",
    (event) => {
      if (event.pointerType === "touch") {
        act(tracker.move(event.pointerId, sample(event)));
      }
    },
    options,
  );
  element.addEventListener(
    "pointerup",
    (event) => {
      if (event.pointerType === "touch") {
        clearTimeout(timer);
        act(tracker.up(event.pointerId, sample(event)));
      }
    },
    options,
  );
  element.addEventListener(
    "pointercancel",
    (event) => {
      if (event.pointerType === "touch") {
        clearTimeout(timer);
        tracker.cancel();
        actions.onCancel();
      }
    },
    options,
  );
  // No click follows: details that a tap has opened may lie under the finger by then.
  element.addEventListener("touchend", (event) => event.cancelable && event.preventDefault(), {
    signal,
    passive: false,
  });
  // A long press is ours.
  element.addEventListener(
    "contextmenu",
    (event) => {
      if ((event as PointerEvent).pointerType === "touch") {
        event.preventDefault();
      }
    },
    options,
  );
  signal.addEventListener("abort", () => clearTimeout(timer));
}
