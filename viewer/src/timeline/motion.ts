/**
 * Motion of the view: held keys zoom and pan with acceleration, steps and jumps glide to their end. All of it runs in the one frame loop;
 * with reduced motion wished, jumps are immediate (held keys still move: the hand asks for that).
 */

import { fit, pan, sameView, type TickRange, type View, visibleRange, zoomAt } from "@tilescope/client";
import type { HeldIntent } from "../keys/table";
import { easeOut, heldOctavesPerSecond, heldWidthsPerSecond, rangeBetween } from "../state/transition";
import type { FrameLoop } from "./frame";

/** The part of the page that motion needs. */
export interface MotionPort {
  view(): View;
  setView(view: View): void;
  bounds(): TickRange;
  /** Place at which zooming by keys keeps time still: the pointer, or the middle. */
  anchorXPx(): number;
  prefersReducedMotion(): boolean;
  /** Nothing moves any more. */
  rested(): void;
}

const GLIDE_MS = 220;
/** A key that is let go before a frame has moved the view counts as held for so long: a tap on a busy page is not lost. */
const TAP_MS = 50;
const HELD = "held keys";
const GLIDE = "glide";

interface Hold {
  readonly sinceMs: number | null;
  readonly isFast: boolean;
  readonly hasMoved: boolean;
  readonly isReleased: boolean;
}

export class Motion {
  readonly #loop: FrameLoop;
  readonly #port: MotionPort;
  readonly #held = new Map<HeldIntent, Hold>();
  #target: View | null = null;

  constructor(loop: FrameLoop, port: MotionPort) {
    this.#loop = loop;
    this.#port = port;
  }

  /** True while the picture is moving by itself: what is under the pointer passes by. */
  get isMoving(): boolean {
    return this.#loop.isAnimating(HELD) || this.#loop.isAnimating(GLIDE);
  }

  /** A key went down; repeats of a key that is down already change only the speed. */
  hold(intent: HeldIntent, isFast: boolean): void {
    this.#stopGlide();
    const { sinceMs = null, hasMoved = false } = this.#held.get(intent) ?? {};
    this.#held.set(intent, { sinceMs, isFast, hasMoved, isReleased: false });
    if (!this.#loop.isAnimating(HELD)) {
      this.#loop.animate(HELD, (nowMs, deltaMs) => this.#stepHeld(nowMs, deltaMs));
    }
  }

  release(intent: HeldIntent): void {
    const hold = this.#held.get(intent);
    if (hold === undefined || hold.hasMoved) {
      this.#held.delete(intent);
    } else {
      this.#held.set(intent, { ...hold, isReleased: true });
    }
  }

  releaseAll(): void {
    this.#held.clear();
  }

  /** Zooms by a factor at a place, gliding; steps that follow each other add up. */
  zoomStep(factor: number, xPx: number): void {
    this.glideTo(zoomAt(this.#target ?? this.#port.view(), xPx, factor, this.#port.bounds()));
  }

  panStep(deltaPx: number): void {
    this.glideTo(pan(this.#target ?? this.#port.view(), deltaPx, this.#port.bounds()));
  }

  glideTo(target: View): void {
    const from = this.#port.view();
    if (this.#port.prefersReducedMotion() || sameView(from, target)) {
      this.jumpTo(target);
      return;
    }
    this.#target = target;
    const fromRange = visibleRange(from);
    const toRange = visibleRange(target);
    let elapsedMs = 0;
    this.#loop.animate(GLIDE, (_nowMs, deltaMs) => {
      elapsedMs += deltaMs;
      const part = easeOut(Math.min(1, elapsedMs / GLIDE_MS));
      const isOver = elapsedMs >= GLIDE_MS;
      if (isOver) {
        this.#target = null;
      }
      const widthPx = this.#port.view().widthPx;
      this.#port.setView(
        isOver && widthPx === target.widthPx ? target : fit(rangeBetween(fromRange, toRange, part), widthPx),
      );
      if (isOver) {
        this.#port.rested();
      }
      return !isOver;
    });
  }

  jumpTo(target: View): void {
    this.#stopGlide();
    this.#port.setView(target);
  }

  #stopGlide(): void {
    this.#target = null;
    this.#loop.stop(GLIDE);
  }

  #stepHeld(nowMs: number, deltaMs: number): boolean {
    const bounds = this.#port.bounds();
    let view = this.#port.view();
    for (const [intent, hold] of this.#held) {
      const sinceMs = hold.sinceMs ?? nowMs;
      const seconds = (hold.isReleased ? Math.max(deltaMs, TAP_MS) : deltaMs) / 1000;
      if (hold.isReleased) {
        this.#held.delete(intent);
      } else {
        this.#held.set(intent, { ...hold, sinceMs, hasMoved: hold.hasMoved || deltaMs > 0 });
      }
      const heldMs = nowMs - sinceMs;
      if (intent === "zoom-in" || intent === "zoom-out") {
        const octaves = heldOctavesPerSecond(heldMs, hold.isFast) * seconds;
        view = zoomAt(view, this.#port.anchorXPx(), 2 ** (intent === "zoom-in" ? -octaves : octaves), bounds);
      } else {
        const widths = heldWidthsPerSecond(heldMs, hold.isFast) * seconds;
        view = pan(view, (intent === "pan-left" ? -widths : widths) * view.widthPx, bounds);
      }
    }
    this.#port.setView(view);
    if (this.#held.size === 0) {
      this.#port.rested();
    }
    return this.#held.size > 0;
  }
}
