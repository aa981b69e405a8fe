/**
 * From pointer presses to clicks and drags. Pure: it is told what the pointer does and says what that means.
 *
 * A press becomes a drag when it has moved 5 px; a press that ends before is a click. A second click within 400 ms and
 * 5 px is a double click (it comes after the two clicks, as browsers have it).
 */

import { type Gesture, gestureOf, type Modifier, type ToolMode } from "../keys/gestures";

export const DRAG_THRESHOLD_PX = 5;
const DOUBLE_CLICK_MS = 400;

export interface PointerSample {
  readonly xPx: number;
  readonly yPx: number;
  readonly timeMs: number;
  /** The hand wants this very place: nothing near by takes it to itself. */
  readonly isFree?: boolean;
}

export type PointerMeaning =
  | { readonly kind: "drag-start"; readonly gesture: Gesture; readonly from: PointerSample; readonly to: PointerSample }
  | {
      readonly kind: "drag-move";
      readonly gesture: Gesture;
      readonly from: PointerSample;
      readonly before: PointerSample;
      readonly to: PointerSample;
    }
  | { readonly kind: "drag-end"; readonly gesture: Gesture; readonly from: PointerSample; readonly to: PointerSample }
  | { readonly kind: "click"; readonly gesture: Gesture; readonly point: PointerSample };

export interface PointerActions {
  onMeaning(meaning: PointerMeaning): void;
  /** True if a drag from here moves an edge of what is selected. */
  isEdgeAt(point: PointerSample): boolean;
  /** True if a click there leads to the events of an empty lane. */
  isHintAt(point: PointerSample): boolean;
  /** The browser took the pointer away during a drag. */
  onCancel(): void;
}

interface Press {
  readonly button: number;
  readonly modifier: Modifier;
  readonly from: PointerSample;
  last: PointerSample;
  drag: Gesture | null;
}

function distancePx(a: PointerSample, b: PointerSample): number {
  return Math.hypot(a.xPx - b.xPx, a.yPx - b.yPx);
}

export class GestureTracker {
  readonly #tool: () => ToolMode;
  #press: Press | null = null;
  #lastClick: PointerSample | null = null;

  /** `tool`: the one that is in the hand now. */
  constructor(tool: () => ToolMode = () => "select") {
    this.#tool = tool;
  }

  /** The gesture of the drag that is going on. */
  get drag(): Gesture | null {
    return this.#press?.drag ?? null;
  }

  /** True if the press means something, so that the pointer should be captured. */
  down(button: number, modifier: Modifier, point: PointerSample): boolean {
    if (this.#press !== null || (button !== 0 && button !== 1)) {
      return false;
    }
    this.#press = { button, modifier, from: point, last: point, drag: null };
    return true;
  }

  move(to: PointerSample): PointerMeaning | null {
    const press = this.#press;
    if (press === null) {
      return null;
    }
    const before = press.last;
    press.last = to;
    if (press.drag !== null) {
      return { kind: "drag-move", gesture: press.drag, from: press.from, before, to };
    }
    if (distancePx(press.from, to) < DRAG_THRESHOLD_PX) {
      press.last = press.from;
      return null;
    }
    // With ctrl a drag is the same, but for what it snaps to.
    const modifier = press.modifier === "ctrl" ? "none" : press.modifier;
    const gesture = gestureOf(press.button === 1 ? "middle-drag" : "left-drag", modifier, this.#tool());
    if (gesture === undefined) {
      return null;
    }
    press.drag = gesture;
    return { kind: "drag-start", gesture, from: press.from, to };
  }

  up(point: PointerSample): PointerMeaning | null {
    const press = this.#press;
    this.#press = null;
    if (press === null) {
      return null;
    }
    if (press.drag !== null) {
      return { kind: "drag-end", gesture: press.drag, from: press.from, to: point };
    }
    if (press.button !== 0) {
      return null;
    }
    const before = this.#lastClick;
    const isCtrl = press.modifier === "ctrl";
    const isDouble =
      !isCtrl &&
      before !== null &&
      point.timeMs - before.timeMs <= DOUBLE_CLICK_MS &&
      distancePx(before, point) < DRAG_THRESHOLD_PX;
    this.#lastClick = isDouble || isCtrl ? null : point;
    const gesture = gestureOf(isDouble ? "double-click" : "click", isCtrl ? "ctrl" : "none", this.#tool());
    return gesture === undefined ? null : { kind: "click", gesture, point };
  }

  /** The browser took the pointer away: whatever was going on has not happened. */
  cancel(): void {
    this.#press = null;
  }
}
