/**
 * From fingers to taps, drags and pinches. Pure: it is told what fingers do and says what that means.
 *
 * A finger that stays where it is for `LONG_PRESS_MS` begins an area; one that moves before pans. The second finger makes a
 * pinch, further ones mean nothing.
 */

import type { PointerSample } from "./gesture-tracker";

export const LONG_PRESS_MS = 450;

/** Fingers are less steady than a mouse. */
const DRAG_THRESHOLD_PX = 8;
const DOUBLE_TAP_MS = 350;
const DOUBLE_TAP_PX = 24;

/** So many times further one way than the other, a drag goes that way alone. */
const STRAIGHT = 2;

/** Last milliseconds of a drag from which its speed is computed. */
const SPEED_MS = 80;

export interface Fling {
  readonly xPxPerMs: number;
  readonly yPxPerMs: number;
}

export type TouchMeaning =
  | { readonly kind: "pan"; readonly dxPx: number; readonly dyPx: number }
  | { readonly kind: "pan-end"; readonly fling: Fling }
  /** `factor`: how many times more time fits on a pixel. */
  | {
      readonly kind: "pinch";
      readonly atXPx: number;
      readonly factor: number;
      readonly dxPx: number;
      readonly dyPx: number;
    }
  | { readonly kind: "tap" | "double-tap"; readonly point: PointerSample }
  | {
      readonly kind: "area";
      readonly phase: "start" | "move" | "end";
      readonly from: PointerSample;
      readonly to: PointerSample;
      readonly before: PointerSample;
    };

/** Action of the fingers that are down. */
type Doing =
  | { readonly kind: "press"; readonly from: PointerSample }
  | { readonly kind: "pan"; readonly isX: boolean; readonly isY: boolean }
  | { readonly kind: "area"; readonly from: PointerSample }
  | { readonly kind: "pinch" }
  | null;

export class TouchTracker {
  readonly #fingers = new Map<number, PointerSample>();
  #doing: Doing = null;
  #lastTap: PointerSample | null = null;
  #trail: PointerSample[] = [];

  /** True if a finger rests where it was put down, so that time makes a long press of it. */
  get isPressed(): boolean {
    return this.#doing?.kind === "press";
  }

  /** `grabs`: what is there is dragged at once, as the edge of an area is. */
  down(id: number, point: PointerSample, grabs: boolean): TouchMeaning | null {
    if (this.#fingers.size === 2) {
      return null;
    }
    const before = this.#doing;
    this.#fingers.set(id, point);
    if (this.#fingers.size === 2) {
      this.#doing = { kind: "pinch" };
      return before?.kind === "area" ? areaEnd(before.from) : null;
    }
    this.#trail = [point];
    this.#doing = grabs ? { kind: "area", from: point } : { kind: "press", from: point };
    return grabs ? { kind: "area", phase: "start", from: point, to: point, before: point } : null;
  }

  /** The finger has rested for `LONG_PRESS_MS`. */
  rested(): TouchMeaning | null {
    if (this.#doing?.kind !== "press") {
      return null;
    }
    const { from } = this.#doing;
    this.#doing = { kind: "area", from };
    // So wide that one sees that it has begun.
    return { kind: "area", phase: "start", from, to: { ...from, xPx: from.xPx + 2 }, before: from };
  }

  move(id: number, to: PointerSample): TouchMeaning | null {
    const before = this.#fingers.get(id);
    if (before === undefined) {
      return null;
    }
    const doing = this.#doing;
    if (doing?.kind === "pinch") {
      return this.#pinch(id, to);
    }
    if (doing?.kind === "press") {
      const [dx, dy] = [Math.abs(to.xPx - doing.from.xPx), Math.abs(to.yPx - doing.from.yPx)];
      if (Math.hypot(dx, dy) < DRAG_THRESHOLD_PX) {
        return null;
      }
      this.#doing = { kind: "pan", isX: dx * STRAIGHT > dy, isY: dy * STRAIGHT > dx };
    }
    this.#fingers.set(id, to);
    this.#trail = [...this.#trail.filter(({ timeMs }) => to.timeMs - timeMs <= SPEED_MS), to];
    if (doing?.kind === "area") {
      return { kind: "area", phase: "move", from: doing.from, to, before };
    }
    return this.#pan(before, to);
  }

  up(id: number, point: PointerSample): TouchMeaning | null {
    const doing = this.#doing;
    if (!this.#fingers.delete(id)) {
      return null;
    }
    if (this.#fingers.size > 0) {
      // The other finger goes on by itself.
      this.#doing = { kind: "pan", isX: true, isY: true };
      this.#trail = [];
      return null;
    }
    this.#doing = null;
    switch (doing?.kind) {
      case "press":
        return this.#tap(doing.from);
      case "area":
        return { kind: "area", phase: "end", from: doing.from, to: point, before: point };
      case "pan":
        return { kind: "pan-end", fling: this.#fling(doing, point) };
      default:
        return null;
    }
  }

  /** The browser took a finger away: what was going on has not happened. */
  cancel(): void {
    this.#fingers.clear();
    this.#doing = null;
    this.#lastTap = null;
  }

  #tap(point: PointerSample): TouchMeaning {
    const before = this.#lastTap;
    const isDouble =
      before !== null &&
      point.timeMs - before.timeMs <= DOUBLE_TAP_MS &&
      Math.hypot(point.xPx - before.xPx, point.yPx - before.yPx) < DOUBLE_TAP_PX;
    this.#lastTap = isDouble ? null : point;
    return { kind: isDouble ? "double-tap" : "tap", point };
  }

  #pan(before: PointerSample, to: PointerSample): TouchMeaning | null {
    if (this.#doing?.kind !== "pan") {
      return null;
    }
    const { isX, isY } = this.#doing;
    return { kind: "pan", dxPx: isX ? to.xPx - before.xPx : 0, dyPx: isY ? to.yPx - before.yPx : 0 };
  }

  #pinch(id: number, to: PointerSample): TouchMeaning {
    const [a, b] = [...this.#fingers.values()] as [PointerSample, PointerSample];
    this.#fingers.set(id, to);
    const [c, d] = [...this.#fingers.values()] as [PointerSample, PointerSample];
    const atXPx = (c.xPx + d.xPx) / 2;
    return {
      kind: "pinch",
      atXPx,
      factor: apart(a, b) / apart(c, d),
      dxPx: atXPx - (a.xPx + b.xPx) / 2,
      dyPx: (c.yPx + d.yPx - a.yPx - b.yPx) / 2,
    };
  }

  #fling({ isX, isY }: { readonly isX: boolean; readonly isY: boolean }, point: PointerSample): Fling {
    const first = this.#trail.find(({ timeMs }) => point.timeMs - timeMs <= SPEED_MS);
    const last = this.#trail.at(-1);
    if (first === undefined || last === undefined || last.timeMs <= first.timeMs) {
      return { xPxPerMs: 0, yPxPerMs: 0 };
    }
    const elapsedMs = point.timeMs - first.timeMs;
    return {
      xPxPerMs: isX ? (last.xPx - first.xPx) / elapsedMs : 0,
      yPxPerMs: isY ? (last.yPx - first.yPx) / elapsedMs : 0,
    };
  }
}

/** Fingers that touch each other are as far apart as they are wide. */
function apart(a: PointerSample, b: PointerSample): number {
  return Math.max(16, Math.hypot(a.xPx - b.xPx, a.yPx - b.yPx));
}

/** An area that was begun and is nothing. */
function areaEnd(point: PointerSample): TouchMeaning {
  return { kind: "area", phase: "end", from: point, to: point, before: point };
}
