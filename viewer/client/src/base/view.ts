/**
 * The visible part of the time axis, and its geometry.
 *
 * The start is a whole number of ticks and a fraction, so that panning stays smooth when a single tick is many pixels
 * wide and no precision is lost when the run is days long. A view is immutable: each operation gives a new one.
 */

import { plus, type Ticks } from "./time";

/** The visible range: ticks, on so many pixels. */
export interface View {
  readonly startTicks: Ticks;
  /** The part of a tick, in [0, 1), by which the left edge lies right of `startTicks`. */
  readonly startFraction: number;
  readonly ticksPerPx: number;
  readonly widthPx: number;
}

/** Half-open: `endTicks` is the first tick that is not in it. */
export interface TickRange {
  readonly startTicks: Ticks;
  readonly endTicks: Ticks;
}

/** The closest zoom: one tick is this many pixels wide. */
export const MAX_PX_PER_TICK = 100;

/** Empty space that may be shown beyond each end of the run, as a part of the view's width. */
const OVERSCROLL = 0.05;

/** A view of exactly `range`, with `paddingPx` free on both sides. */
export function fit(range: TickRange, widthPx: number, paddingPx = 0): View {
  const width = Math.max(1, widthPx);
  const inner = Math.max(1, width - 2 * paddingPx);
  const span = Math.max(1, Number(range.endTicks - range.startTicks));
  const ticksPerPx = Math.max(span / inner, 1 / MAX_PX_PER_TICK);
  // Not what rounding leaves: the view would begin a tick earlier.
  const unused = ticksPerPx > span / inner ? inner - span / ticksPerPx : 0;
  return moved({ startTicks: range.startTicks, startFraction: 0, ticksPerPx, widthPx: width }, -paddingPx - unused / 2);
}

/** The view whose point at `xPx` stays where it is while `factor` times as many ticks fit in a pixel. */
export function zoomAt(view: View, xPx: number, factor: number, bounds: TickRange): View {
  const ticksPerPx = clampScale(view.ticksPerPx * factor, view.widthPx, bounds);
  const shiftTicks = xPx * (view.ticksPerPx - ticksPerPx);
  return clamp(shifted({ ...view, ticksPerPx }, shiftTicks), bounds);
}

/** The view moved right by `deltaPx` (what is shown moves left). */
export function pan(view: View, deltaPx: number, bounds: TickRange): View {
  return clamp(moved(view, deltaPx), bounds);
}

/** The view with another width: the range that it shows stays. */
export function resize(view: View, widthPx: number, bounds: TickRange): View {
  const width = Math.max(1, widthPx);
  return clamp({ ...view, widthPx: width, ticksPerPx: (view.ticksPerPx * view.widthPx) / width }, bounds);
}

/** The same scale with `time` in the middle. */
export function centreOn(view: View, time: Ticks, bounds: TickRange): View {
  return clamp(moved({ ...view, startTicks: time, startFraction: 0 }, -view.widthPx / 2), bounds);
}

/** The nearest view that shows no more than the run with a little space at its ends. */
export function clamp(view: View, bounds: TickRange): View {
  const ticksPerPx = clampScale(view.ticksPerPx, view.widthPx, bounds);
  const scaled = ticksPerPx === view.ticksPerPx ? view : { ...view, ticksPerPx };
  const freePx = OVERSCROLL * scaled.widthPx;
  const leftPx = xOfTick(scaled, bounds.startTicks);
  const rightPx = xOfTick(scaled, bounds.endTicks);
  if (rightPx - leftPx <= scaled.widthPx - 2 * freePx) {
    return moved(scaled, (leftPx + rightPx - scaled.widthPx) / 2);
  }
  if (leftPx > freePx) {
    return moved(scaled, leftPx - freePx);
  }
  if (rightPx < scaled.widthPx - freePx) {
    return moved(scaled, rightPx - (scaled.widthPx - freePx));
  }
  return scaled;
}

/** The x of a tick's left edge in pixels; exact to the fraction of a pixel near the view. */
export function xOfTick(view: View, time: bigint): number {
  return (Number(time - view.startTicks) - view.startFraction) / view.ticksPerPx;
}

/** The tick under `xPx`. */
export function tickAtX(view: View, xPx: number): Ticks {
  return plus(view.startTicks, BigInt(Math.floor(view.startFraction + xPx * view.ticksPerPx)));
}

/** Part of a length that rounding may add to it. */
const ROUNDING = 2 ** -50;

/** All ticks of which at least a part is visible; of a view that `fit` has made without padding, the range that it was made of. */
export function visibleRange(view: View): TickRange {
  const lengthTicks = view.startFraction + view.widthPx * view.ticksPerPx;
  return {
    startTicks: view.startTicks,
    endTicks: plus(view.startTicks, BigInt(Math.ceil(lengthTicks * (1 - ROUNDING)))),
  };
}

/** True if two views show the same. */
export function sameView(a: View, b: View): boolean {
  return (
    a.startTicks === b.startTicks &&
    a.startFraction === b.startFraction &&
    a.ticksPerPx === b.ticksPerPx &&
    a.widthPx === b.widthPx
  );
}

function clampScale(ticksPerPx: number, widthPx: number, bounds: TickRange): number {
  const span = Math.max(1, Number(bounds.endTicks - bounds.startTicks));
  const closest = 1 / MAX_PX_PER_TICK;
  const farthest = Math.max(closest, span / (widthPx * (1 - 2 * OVERSCROLL)));
  return Math.min(farthest, Math.max(closest, ticksPerPx));
}

function moved(view: View, deltaPx: number): View {
  return shifted(view, deltaPx * view.ticksPerPx);
}

function shifted(view: View, deltaTicks: number): View {
  const position = view.startFraction + deltaTicks;
  let whole = Math.floor(position);
  let startFraction = position - whole;
  // A tiny negative position rounds to 1 - 0 in floating point; the fraction must stay below 1.
  if (startFraction >= 1) {
    whole += 1;
    startFraction = 0;
  }
  return { ...view, startTicks: plus(view.startTicks, BigInt(whole)), startFraction };
}
