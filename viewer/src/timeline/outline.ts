/** Position and time of a known event or bin on the screen. Pure, on the picture of the last frame. */

import { plus, sliceDuration, sliceStart, type TickRange, type Ticks, type View, xOfTick } from "@tilescope/client";
import { findSlice, locateSlice } from "../raster/locate";
import type { BinFacts, EventSelection } from "../state/selection";
import { drawsOf, type Picture } from "./picture";
import type { SceneTrack } from "./scene";

/** Something on the screen that has an outline. */
export type Target =
  | { readonly kind: "event"; readonly track: number; readonly ordinal: number }
  | { readonly kind: "bin"; readonly bin: Pick<BinFacts, "track" | "row" | "startTicks" | "widthTicks"> };

export interface Outline {
  readonly fromPx: number;
  readonly toPx: number;
  readonly topPx: number;
  readonly heightPx: number;
  /** The part of the screen in which it may be drawn: pinned tracks lie over the others. */
  readonly fromYPx: number;
  readonly toYPx: number;
}

/** Range of an event that is drawn as itself; null for others. */
export function rangeOfEvent(picture: Picture, { track, ordinal }: EventSelection): TickRange | null {
  const slice = findSlice(drawsOf(picture, track), ordinal);
  if (slice === null) {
    return null;
  }
  const startTicks = sliceStart(slice.tile, slice.k);
  return { startTicks, endTicks: plus(startTicks, sliceDuration(slice.tile, slice.k)) };
}

/** Outline of a target on the screen, or null when it is not there. */
export function outlineOf(picture: Picture, target: Target): Outline | null {
  const track = target.kind === "event" ? target.track : target.bin.track;
  for (const entry of picture.scene.tracks) {
    if (entry.track.id !== track) {
      continue;
    }
    const span = spanOf(picture, target);
    const outline = span === null ? null : place(picture, entry, span);
    if (outline !== null) {
      return outline;
    }
  }
  return null;
}

interface Span {
  readonly row: number;
  readonly fromPx: number;
  readonly toPx: number;
}

function spanOf(picture: Picture, target: Target): Span | null {
  if (target.kind === "event") {
    const located = locateSlice(drawsOf(picture, target.track), target.ordinal, picture.view);
    // Also a slice that reaches across the whole view has its edges just outside of it.
    return located;
  }
  const { row, startTicks, widthTicks } = target.bin;
  return { row, ...binSpan(picture.view, startTicks, widthTicks) };
}

function binSpan(view: View, startTicks: Ticks, widthTicks: Ticks): { readonly fromPx: number; readonly toPx: number } {
  return { fromPx: xOfTick(view, startTicks), toPx: xOfTick(view, startTicks + widthTicks) };
}

function place({ scene, heightPx: screenPx }: Picture, entry: SceneTrack, span: Span): Outline | null {
  const row = span.row - entry.firstRow;
  if (row < 0 || row >= entry.rows) {
    return null;
  }
  const [fromYPx, toYPx] = entry.isPinned ? [0, scene.pinnedPx] : [scene.pinnedPx, screenPx];
  const topPx = entry.topPx + row * entry.rowPx;
  return { fromPx: span.fromPx, toPx: span.toPx, topPx, heightPx: entry.rowPx - 1, fromYPx, toYPx };
}
