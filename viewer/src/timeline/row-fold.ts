/**
 * Rows of tracks that have nothing in view are folded away when the picture has come to rest: a track that is empty in view takes one row, one
 * with a few rows in use takes these. They come back with the very picture that has something in them. Pure.
 */

import {
  binStart,
  type Coverage,
  type DrawTile,
  sliceDuration,
  sliceStart,
  type TickRange,
  visibleRange,
} from "@tilescope/client";
import type { FoldedRows, Layout, LayoutItem, TrackItem } from "../state/layout";
import type { Picture } from "./picture";

/** Fewer rows are not worth that everything below moves. */
const LEAST_FOLDED = 2;

/** Rows of tracks for a picture at rest: of those on the screen by what is drawn, of all others by where their events begin and end. */
export function foldRows(picture: Picture, layout: Layout, before: FoldedRows): FoldedRows {
  const range = visibleRange(picture.view);
  const folded = new Map<number, number>();
  for (const item of layout.items) {
    if (!isFoldable(item)) {
      continue;
    }
    const { id, rows } = item.node.track;
    const used = rowsInView(item, picture.coverages.get(id), range, before);
    if (rows - used >= LEAST_FOLDED) {
      folded.set(id, used);
    }
  }
  return isSame(folded, before) ? before : folded;
}

function isFoldable(item: LayoutItem): item is TrackItem {
  return item.kind === "track" && item.node.track.kind === "slice" && item.node.track.rows > LEAST_FOLDED;
}

/** Rows down to the deepest that has something in view; all where that is not known. */
function rowsInView(
  { node: { track }, rows }: TrackItem,
  coverage: Coverage | undefined,
  range: TickRange,
  before: FoldedRows,
) {
  const { firstTicks, lastTicks } = track;
  if (firstTicks === undefined || lastTicks === undefined) {
    return track.rows;
  }
  if (firstTicks >= range.endTicks || lastTicks < range.startTicks) {
    return 1;
  }
  if (coverage === undefined) {
    return before.has(track.id) ? rows : track.rows;
  }
  return coverage.complete && coverage.provisional !== true
    ? Math.max(1, rowsDrawn(coverage.draws, range))
    : track.rows;
}

/** Rows of tracks without folds that would hide something of the picture. */
export function unfoldRows({ view, coverages, scene }: Picture, before: FoldedRows): FoldedRows {
  if (before.size === 0) {
    return before;
  }
  const range = visibleRange(view);
  const grown = new Map(before);
  for (const { track } of scene.tracks) {
    const rows = grown.get(track.id);
    const used = rows === undefined ? 0 : rowsDrawn(coverages.get(track.id)?.draws ?? [], range);
    if (rows !== undefined && used > rows) {
      grown.set(track.id, used);
    }
  }
  return isSame(grown, before) ? before : grown;
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
