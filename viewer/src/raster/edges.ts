/** Starts and ends of slices, to which a drag snaps. */

import { type DrawTile, placeSlices, plus, sliceDuration, sliceStart, type Ticks, type View } from "@tilescope/client";

/** The edge of a slice of a row that is nearest to `xPx`; null where none is within the tolerance. */
export function nearestEdge(
  draws: readonly DrawTile[],
  view: View,
  row: number,
  xPx: number,
  tolerancePx: number,
): Ticks | null {
  let best: Ticks | null = null;
  let bestPx = tolerancePx;
  for (const { tile } of draws) {
    const { start, end, shift } = placeSlices(tile, view.startTicks);
    for (let k = 0; k < tile.slices.length; k++) {
      if (tile.slices.row[k] !== row) {
        continue;
      }
      const startPx = Math.abs((start[k]! + shift - view.startFraction) / view.ticksPerPx - xPx);
      const endPx = Math.abs((end[k]! + shift - view.startFraction) / view.ticksPerPx - xPx);
      if (startPx < bestPx) {
        best = sliceStart(tile, k);
        bestPx = startPx;
      }
      if (endPx < bestPx) {
        best = plus(sliceStart(tile, k), sliceDuration(tile, k));
        bestPx = endPx;
      }
    }
  }
  return best;
}
