/**
 * Rows of tracks that have nothing in view are folded away when the picture has come to rest: a track on the screen takes the rows down to the
 * deepest that has something in view, one all of whose events lie before the view, or behind it, takes one row. Rows are back in the first
 * picture that has something in them. At rest they go by the view and the tracks on the screen alone, not by what was seen before, so that a link
 * has every track where it was. Pure.
 */

import {
  binStart,
  type DrawTile,
  sliceDuration,
  sliceStart,
  type TickRange,
  type Track,
  visibleRange,
} from "@tilescope/client";
import {
  type FoldedRows,
  isOnScreen,
  type Layout,
  type LayoutItem,
  type ScrollPlace,
  type TrackItem,
} from "../state/layout";
import type { Picture } from "./picture";

/** Fewer rows are not worth that everything below moves. */
const LEAST_FOLDED = 2;

/** Rows of tracks for a picture at rest. */
export function foldRows(picture: Picture, layout: Layout, scroll: ScrollPlace, before: FoldedRows): FoldedRows {
  const range = visibleRange(picture.view);
  const folded = new Map<number, number>();
  for (const item of layout.items) {
    if (item.kind === "track" && isFoldable(item.node.track)) {
      const { id, rows } = item.node.track;
      const used = rowsInView(picture, item, range, isOnScreen(layout, item, scroll, picture.heightPx));
      const kept = used ?? before.get(id) ?? rows;
      if (rows - kept >= LEAST_FOLDED) {
        folded.set(id, kept);
      }
    }
  }
  return isSame(folded, before) ? before : folded;
}

function isFoldable({ kind, rows }: Track): boolean {
  return kind === "slice" && rows > LEAST_FOLDED;
}

/** Rows of a track down to the deepest that has something in view; all where the track is off the screen; null: not known yet. */
function rowsInView(
  { coverages }: Picture,
  { node: { track } }: TrackItem,
  range: TickRange,
  isSeen: boolean,
): number | null {
  const { firstTicks, lastTicks } = track;
  if (firstTicks === undefined || lastTicks === undefined) {
    return track.rows;
  }
  if (firstTicks >= range.endTicks || lastTicks < range.startTicks) {
    return 1;
  }
  if (!isSeen) {
    return track.rows;
  }
  const coverage = coverages.get(track.id);
  return coverage?.complete === true && coverage.provisional !== true
    ? Math.max(1, rowsDrawn(coverage.draws, range))
    : null;
}

/** Rows of tracks without folds that would hide something of the picture. */
export function unfoldRows({ view, coverages, scene }: Picture, before: FoldedRows): FoldedRows {
  const range = visibleRange(view);
  const grown = new Map(before);
  for (const { track } of before.size === 0 ? [] : scene.tracks) {
    const rows = grown.get(track.id);
    const used = rows === undefined ? 0 : rowsDrawn(coverages.get(track.id)?.draws ?? [], range);
    if (rows !== undefined && used > rows) {
      grown.set(track.id, used);
    }
  }
  return isSame(grown, before) ? before : grown;
}

/** Pixels by which a place of an item moves with the layout; where its rows are folded away, those of the lower edge of the item. */
export function foldShiftPx(before: LayoutItem, after: LayoutItem, placePx: number): number {
  const topPx = after.topPx - before.topPx;
  return placePx - before.topPx < after.heightPx ? topPx : topPx + after.heightPx - before.heightPx;
}

/** Rows of a track down to the deepest that is drawn in a range. */
function rowsDrawn(draws: readonly DrawTile[], { startTicks, endTicks }: TickRange): number {
  let deepest = -1;
  for (const { tile, clipStart, clipEnd } of draws) {
    const from = startTicks > clipStart ? startTicks : clipStart;
    const to = endTicks < clipEnd ? endTicks : clipEnd;
    const { bins, slices } = tile;
    for (let k = 0; k < bins.length; k++) {
      if (bins.row[k]! > deepest) {
        const start = binStart(tile, bins.bin[k]!);
        deepest = start < to && start + BigInt(tile.binTicks) > from ? bins.row[k]! : deepest;
      }
    }
    for (let k = 0; k < slices.length; k++) {
      if (slices.row[k]! > deepest) {
        const start = sliceStart(tile, k);
        const isInView = start < to && (start >= from || start + sliceDuration(tile, k) > from);
        deepest = isInView ? slices.row[k]! : deepest;
      }
    }
  }
  return deepest + 1;
}

function isSame(a: FoldedRows, b: FoldedRows): boolean {
  return a.size === b.size && [...a].every(([track, rows]) => b.get(track) === rows);
}
