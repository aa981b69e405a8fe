/**
 * Rows of tracks that have nothing in view are folded away when the picture has come to rest: a track all of whose events lie before the view,
 * or all behind it, takes one row. The rows are back in the first picture that may have something in them. Pure: of the view alone, so that a
 * link has every track where it was.
 */

import { type TickRange, type Track, visibleRange } from "@tilescope/client";
import type { FoldedRows, Layout, LayoutItem, TrackItem } from "../state/layout";
import type { Picture } from "./picture";

/** Fewer rows are not worth that everything below moves. */
const LEAST_FOLDED = 2;

/** Rows of tracks for a picture at rest. */
export function foldRows({ view }: Picture, layout: Layout, before: FoldedRows): FoldedRows {
  const range = visibleRange(view);
  const tracks = layout.items.filter(isFoldable).map((item) => item.node.track);
  const folded = new Map(tracks.filter((track) => isOutside(track, range)).map(({ id }) => [id, 1]));
  return isSame(folded, before) ? before : folded;
}

/** The same without folds that would hide something of the picture. */
export function unfoldRows({ view, scene }: Picture, before: FoldedRows): FoldedRows {
  const range = visibleRange(view);
  const inView = scene.tracks.filter(({ track }) => before.has(track.id) && !isOutside(track, range));
  if (inView.length === 0) {
    return before;
  }
  const rows = new Map(before);
  for (const { track } of inView) {
    rows.delete(track.id);
  }
  return rows;
}

function isFoldable(item: LayoutItem): item is TrackItem {
  return item.kind === "track" && item.node.track.kind === "slice" && item.node.track.rows > LEAST_FOLDED;
}

function isOutside({ firstTicks, lastTicks }: Track, { startTicks, endTicks }: TickRange): boolean {
  return firstTicks !== undefined && lastTicks !== undefined && (firstTicks >= endTicks || lastTicks < startTicks);
}

function isSame(a: FoldedRows, b: FoldedRows): boolean {
  return a.size === b.size && [...a].every(([track, rows]) => b.get(track) === rows);
}
