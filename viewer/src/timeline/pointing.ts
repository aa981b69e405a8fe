/** Events and bins on the screen: what is at a point, and where a known one is. Pure, on the picture of the last frame. */

import {
  plus,
  sliceDuration,
  sliceStart,
  type TickRange,
  type Ticks,
  ticks,
  type View,
  xOfTick,
} from "@tilescope/client";
import { hitCounter, hitTest } from "../raster/hit";
import { findSlice, locateSlice } from "../raster/locate";
import type { Pointed } from "../state/hover";
import type { BinFacts, EventSelection, Selection } from "../state/selection";
import { drawsOf, isProvisional, type Picture } from "./picture";
import { type SceneTrack, sceneTrackAt } from "./scene";

/** Something on the screen that has an outline. */
export type Target =
  | { readonly kind: "event"; readonly track: number; readonly ordinal: number }
  | { readonly kind: "bin"; readonly bin: BinFacts };

export interface Outline {
  readonly fromPx: number;
  readonly toPx: number;
  readonly topPx: number;
  readonly heightPx: number;
  /** The part of the screen in which it may be drawn: pinned tracks lie over the others. */
  readonly fromYPx: number;
  readonly toYPx: number;
}

/** What is at a point of the timeline (CSS pixels), or null. */
export function pointedAt(picture: Picture, xPx: number, yPx: number): Pointed | null {
  const found = sceneTrackAt(picture.scene, yPx);
  if (found === null) {
    return null;
  }
  const { track } = found.track;
  const draws = drawsOf(picture, track.id);
  if (isProvisional(picture, track.id)) {
    const hit = hitTest(draws, picture.view, xPx, 0, 0);
    if (hit?.kind !== "bin") {
      return null;
    }
    const widthTicks = ticks(hit.endTicks - hit.startTicks);
    const bin = { track: track.id, startTicks: hit.startTicks, widthTicks, part: hit.density };
    return { kind: "provisional", bin };
  }
  if (track.kind === "counter") {
    const hit = hitCounter(draws, picture.view, xPx);
    return hit === null ? null : { kind: "counter", hit };
  }
  const hit = hitTest(draws, picture.view, xPx, found.row);
  if (hit === null) {
    return null;
  }
  if (hit.kind === "slice") {
    return { kind: "slice", hit, isInstant: track.kind === "instant" };
  }
  const { level, index, row, startTicks, endTicks, count, nameId, share, exact } = hit;
  const bin: BinFacts = {
    ...{ track: track.id, level, index, row, startTicks, widthTicks: ticks(endTicks - startTicks) },
    ...{ count, name: nameId, share, exact },
  };
  return { kind: "bin", bin, lanes: track.lanes };
}

/** When an event is that is drawn as itself; null for others. */
export function rangeOfEvent(picture: Picture, { track, ordinal }: EventSelection): TickRange | null {
  const found = findSlice(drawsOf(picture, track), ordinal);
  if (found === null) {
    return null;
  }
  const startTicks = sliceStart(found.tile, found.k);
  return { startTicks, endTicks: plus(startTicks, sliceDuration(found.tile, found.k)) };
}

/** What a click on it selects; a value that is in force without a sample of its own selects nothing. */
export function selectionOf(pointed: Pointed | null): Selection {
  if (pointed === null || pointed.kind === "provisional") {
    return { kind: "none" };
  }
  if (pointed.kind === "bin") {
    return { kind: "bin", bin: pointed.bin };
  }
  const { hit } = pointed;
  if (hit.kind === "counterBin" || hit.ordinal === null) {
    return { kind: "none" };
  }
  return { kind: "event", track: hit.track, ordinal: hit.ordinal };
}

/** What is outlined while the pointer is over it. */
export function targetOf(pointed: Pointed | null): Target | null {
  if (pointed === null) {
    return null;
  }
  if (pointed.kind === "bin") {
    return { kind: "bin", bin: pointed.bin };
  }
  if (pointed.kind === "slice") {
    return { kind: "event", track: pointed.hit.track, ordinal: pointed.hit.ordinal };
  }
  return null;
}

/** Where a target is on the screen, or null when it is not. */
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
