/**
 * The second press of a double click or a double tap, where the first one has opened the details under the pointer: it is
 * meant for the timeline all the same.
 */

const DOUBLE_MS = 400;
const NEAR_PX = 5;
/** A finger is less exact than a mouse. */
const NEAR_FINGER_PX = 24;

interface Press {
  /** In the page. */
  readonly xPx: number;
  readonly yPx: number;
  readonly timeMs: number;
}

/** Does `act` if the next press is the second of two and falls outside of the timeline, and keeps it from what lies there. */
export function catchSecondPress(first: Press, act: () => void): void {
  const catchPress = (event: PointerEvent) => {
    const near = event.pointerType === "touch" ? NEAR_FINGER_PX : NEAR_PX;
    const isSecond =
      event.timeStamp - first.timeMs <= DOUBLE_MS &&
      Math.hypot(event.clientX - first.xPx, event.clientY - first.yPx) < near;
    if (isSecond && event.target instanceof Element && event.target.closest(".timeline") === null) {
      event.stopPropagation();
      keepFromBelow();
      act();
    }
  };
  window.addEventListener("pointerdown", catchPress, { capture: true, once: true });
}

/** Keeps the rest of a press from what lies there: it selects no text and clicks nothing. Keys click all the same. */
function keepFromBelow(): void {
  const rest = new AbortController();
  const keep = (event: UIEvent) => {
    if (event.type === "click" && event.detail === 0) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "click") {
      rest.abort();
    }
  };
  for (const kind of ["mousedown", "touchend", "click"] as const) {
    window.addEventListener(kind, keep, { capture: true, passive: false, signal: rest.signal });
  }
  // A press that clicks nothing must not take the click of a key that comes later.
  for (const kind of ["pointerdown", "keydown"]) {
    window.addEventListener(kind, () => rest.abort(), { capture: true, signal: rest.signal });
  }
}
