/** Parts of aggregates that are wide enough to carry a texture, so that they are told from exact slices not by colour alone. */

import { AGGREGATE, INDIVIDUAL } from "./accumulator";
import type { RasterImage } from "./raster";

/** Pixels `[fromPx, toPx)` of a lane. */
export interface LaneRun {
  readonly lane: number;
  readonly fromPx: number;
  readonly toPx: number;
}

/** Runs of at least `minPx` pixels in which there is nothing but bins. */
export function aggregateRuns(image: RasterImage, minPx = 4): LaneRun[] {
  const runs: LaneRun[] = [];
  const { widthPx, lanes, flags } = image;
  for (let lane = 0; lane < lanes; lane++) {
    const base = lane * widthPx;
    let from = -1;
    for (let x = 0; x <= widthPx; x++) {
      const inside = x < widthPx && (flags[base + x]! & (AGGREGATE | INDIVIDUAL)) === AGGREGATE;
      if (inside && from < 0) {
        from = x;
      } else if (!inside && from >= 0) {
        if (x - from >= minPx) {
          runs.push({ lane, fromPx: from, toPx: x });
        }
        from = -1;
      }
    }
  }
  return runs;
}
