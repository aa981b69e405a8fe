/** Position of a known slice on the screen: for the outlines of selection and hover, and for moving between slices. */

import { type DrawTile, sliceDuration, sliceStart, type TileData, type View, xOfTick } from "@tilescope/client";

/** A slice in the tiles that are loaded. */
export interface FoundSlice {
  readonly tile: TileData;
  readonly k: number;
}

export interface SlicePlace {
  readonly row: number;
  /** Not clipped to the view. */
  readonly fromPx: number;
  /** At least one pixel after `fromPx`. */
  readonly toPx: number;
}

/** The slice with an ordinal in the drawn tiles of its track, or null: it may be inside a bin, or outside the view. */
export function findSlice(draws: readonly DrawTile[], ordinal: number): FoundSlice | null {
  for (const { tile } of draws) {
    const k = lowerBound(tile.slices.ordinal, ordinal);
    if (k < tile.slices.length && tile.slices.ordinal[k] === ordinal) {
      return { tile, k };
    }
  }
  return null;
}

export function locateSlice(draws: readonly DrawTile[], ordinal: number, view: View): SlicePlace | null {
  const slice = findSlice(draws, ordinal);
  if (slice === null) {
    return null;
  }
  const start = sliceStart(slice.tile, slice.k);
  const fromPx = xOfTick(view, start);
  const toPx = xOfTick(view, start + sliceDuration(slice.tile, slice.k));
  return { row: slice.tile.slices.row[slice.k]!, fromPx, toPx: Math.max(toPx, fromPx + 1) };
}

/** The first place in ascending `values` that is not below `value`. */
function lowerBound(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
