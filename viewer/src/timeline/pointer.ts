/** Pointer and wheel on the timeline: listens, and hands what the gesture tracker makes of it to the application. */

import { pan, type View, zoomAt } from "@tilescope/client";
import { type Gesture, gestureOf, type Modifier } from "../keys/gestures";
import { settings } from "../state/settings";
import { toolMode } from "../state/tool-mode";
import { GestureTracker, type PointerActions, type PointerSample } from "./gesture-tracker";
import { placeWithin } from "./pointer-place";
import { scrollTracks } from "./scroll-tracks";
import type { Stage } from "./stage";

/** Pixels that a line of a wheel is worth where browsers count in lines. */
const LINE_PX = 18;

/** One notch of a mouse wheel (100 to 120 px) zooms by about a third. */
const ZOOM_PX = 260;

/** Pinches come as wheel events of a few pixels each. */
const PINCH_GAIN = 6;

export function wheelZoomFactor(deltaPx: number): number {
  const gain = Math.abs(deltaPx) < 30 ? PINCH_GAIN : 1;
  return 2 ** (Math.min(300, Math.max(-300, deltaPx * gain)) / ZOOM_PX);
}

/** The gesture of a wheel event; the setting "wheel zooms" swaps scrolling and zooming. */
export function wheelGesture(
  event: { readonly deltaX: number; readonly deltaY: number; readonly ctrlKey: boolean; readonly shiftKey: boolean },
  wheelZooms: boolean,
): Gesture | undefined {
  if (!event.shiftKey && !event.ctrlKey && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    return gestureOf("horizontal-wheel", "none");
  }
  const modifier = event.ctrlKey ? "ctrl" : event.shiftKey ? "shift" : "none";
  const gesture = gestureOf("wheel", modifier);
  if (!wheelZooms) {
    return gesture;
  }
  if (gesture === "scroll-tracks") {
    return "zoom-at-pointer";
  }
  return gesture === "zoom-at-pointer" ? "scroll-tracks" : gesture;
}

/** On a Mac the command key is what ctrl is elsewhere: ctrl and a click are its right click. */
function hasCtrl(event: MouseEvent): boolean {
  return event.ctrlKey || event.metaKey;
}

export function connectPointer(
  element: HTMLElement,
  scroller: HTMLElement,
  stage: Stage,
  actions: PointerActions,
): () => void {
  const tracker = new GestureTracker(() => toolMode.peek());
  const abort = new AbortController();
  const options = { signal: abort.signal };
  let isSpaceDown = false;
  let wasOverHint = false;
  let hasTouch = false;

  /** Loads the code for fingers where there may be any, and again with the first touch where that failed. */
  const wantTouch = () => {
    if (hasTouch) {
      return;
    }
    hasTouch = true;
    import("./touch").then(
      ({ connectTouch }) => connectTouch(element, scroller, stage, actions, abort.signal),
      () => {
        hasTouch = false;
      },
    );
  };
  if (navigator.maxTouchPoints > 0) {
    wantTouch();
  }

  const sample = (event: MouseEvent): PointerSample => {
    const box = element.getBoundingClientRect();
    const isFree = hasCtrl(event);
    return { xPx: event.clientX - box.left, yPx: event.clientY - box.top, timeMs: event.timeStamp, isFree };
  };
  const setView = (next: View) => stage.motion.jumpTo(next);

  element.addEventListener(
    "pointerdown",
    (event) => {
      if (event.pointerType === "touch") {
        wantTouch();
        return;
      }
      const modifier: Modifier = isSpaceDown ? "space" : event.shiftKey ? "shift" : hasCtrl(event) ? "ctrl" : "none";
      if (!tracker.down(event.button, modifier, sample(event))) {
        return;
      }
      stage.quietHover();
      // A middle press would start the browser's own scrolling.
      event.preventDefault();
      element.focus({ preventScroll: true });
      element.setPointerCapture(event.pointerId);
    },
    options,
  );
  element.addEventListener(
    "pointermove",
    (event) => {
      if (event.pointerType === "touch") {
        return;
      }
      const point = sample(event);
      stage.pointer = point;
      const meaning = tracker.move(point);
      if (meaning !== null) {
        actions.onMeaning(meaning);
      }
      element.classList.toggle("is-panning", tracker.drag === "pan");
      element.classList.toggle("is-over-edge", actions.isEdgeAt(point));
      const isOverHint = actions.isHintAt(point);
      if (element.classList.toggle("is-over-hint", isOverHint) || wasOverHint) {
        stage.loop.invalidate();
      }
      wasOverHint = isOverHint;
      stage.updateHover(tracker.drag === null ? { xPx: event.clientX, yPx: event.clientY } : null);
    },
    options,
  );
  element.addEventListener(
    "pointerup",
    (event) => {
      const meaning = tracker.up(sample(event));
      element.classList.remove("is-panning");
      if (meaning !== null) {
        actions.onMeaning(meaning);
      }
    },
    options,
  );
  element.addEventListener(
    "pointercancel",
    () => {
      tracker.cancel();
      element.classList.remove("is-panning");
      actions.onCancel();
    },
    options,
  );
  element.addEventListener(
    "pointerleave",
    () => {
      stage.pointer = null;
      stage.updateHover(null);
    },
    options,
  );
  element.addEventListener(
    "wheel",
    (event) => {
      const gesture = wheelGesture(event, settings.peek().wheelZooms);
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
      const deltaPx = (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) * unit;
      const isOverPinned = sample(event).yPx < stage.pane.layout.peek().pinnedPx;
      // Without ctrl the browser scrolls by itself, except for pinned tracks; with ctrl it would zoom the page.
      if (gesture === "scroll-tracks" && !event.ctrlKey && !isOverPinned) {
        return;
      }
      event.preventDefault();
      if (gesture === "scroll-tracks") {
        scrollTracks(scroller, isOverPinned, deltaPx);
      } else if (gesture === "zoom-at-pointer") {
        setView(zoomAt(stage.pane.view.peek(), sample(event).xPx, wheelZoomFactor(deltaPx), stage.pane.bounds.peek()));
      } else if (gesture === "pan") {
        setView(pan(stage.pane.view.peek(), deltaPx, stage.pane.bounds.peek()));
      }
    },
    { ...options, passive: false },
  );
  const onSpace = (event: KeyboardEvent, isDown: boolean) => {
    if (event.code !== "Space") {
      return;
    }
    isSpaceDown = isDown;
    if (isDown && document.activeElement === element) {
      event.preventDefault();
    }
  };
  window.addEventListener("keydown", (event) => onSpace(event, true), options);
  window.addEventListener("keyup", (event) => onSpace(event, false), options);
  window.addEventListener(
    "blur",
    () => {
      isSpaceDown = false;
    },
    options,
  );
  // It may rest there already, and a move would say so late.
  stage.pointer = placeWithin(element);
  return () => {
    abort.abort();
    stage.pointer = null;
    stage.updateHover(null);
  };
}
