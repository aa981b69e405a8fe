/**
 * The path of a view from one time range to another: width changes geometrically, and the point of time that both
 * ranges show at the same place stays there, so that zooming in does not swing sideways.
 */

import { type TickRange, ticks } from "@tilescope/client";

/** Slow at the end, so that the eye finds its place: `t` in [0, 1] → [0, 1]. */
export function easeOut(t: number): number {
  return 1 - (1 - t) ** 3;
}

/** The range at part `t` of the way; exactly `to` at 1. Between the ends, ticks are rounded to what a double holds. */
export function rangeBetween(from: TickRange, to: TickRange, t: number): TickRange {
  if (t <= 0) {
    return from;
  }
  if (t >= 1) {
    return to;
  }
  const fromWidth = Number(from.endTicks - from.startTicks);
  const toWidth = Number(to.endTicks - to.startTicks);
  const shift = Number(to.startTicks - from.startTicks);
  const width = fromWidth * (toWidth / fromWidth) ** t;
  const part = Math.abs(toWidth - fromWidth) < 1e-3 * fromWidth ? t : (width - fromWidth) / (toWidth - fromWidth);
  const startTicks = ticks(from.startTicks + BigInt(Math.round(shift * part)));
  return { startTicks, endTicks: ticks(startTicks + BigInt(Math.max(1, Math.round(width)))) };
}

/** Zoom speed of a held key after `heldMs`: octaves per second. Accelerates over the first second. */
export function heldOctavesPerSecond(heldMs: number, fast: boolean): number {
  const ramp = Math.min(1, heldMs / 900);
  return (2.2 + 3.8 * ramp) * (fast ? 2.5 : 1);
}

/** Pan speed of a held key after `heldMs`: widths of the view per second. */
export function heldWidthsPerSecond(heldMs: number, fast: boolean): number {
  const ramp = Math.min(1, heldMs / 900);
  return (0.7 + 1.1 * ramp) * (fast ? 3 : 1);
}
