/**
 * Content of a track in a view, as boxes in pixels: for frontends that draw some thousands of them. Frontends that draw hundreds of tracks
 * sixty times a second read the columns of the tiles instead.
 */

import { type View, xOfTick } from "../base/view";
import type { DrawTile } from "./coverage";
import { placeSlices } from "./tile";

/** A slice, or a bin that stands for shorter ones. */
export interface Box {
  readonly row: number;
  /** Id of its name; of a bin the one with the most busy time. */
  readonly name: number;
  /** Clipped to the part for which its tile is drawn. An instant has no width. */
  readonly startPx: number;
  readonly endPx: number;
  /** The part of its width in which something runs: 1 for slices, rounded for bins and 0 for some. */
  readonly busy: number;
}

/** The boxes of what `coverage` says is to be drawn. */
export function* boxesOf(draws: readonly DrawTile[], view: View): Generator<Box> {
  for (const { tile, clipStart, clipEnd } of draws) {
    const [low, high] = [xOfTick(view, clipStart), xOfTick(view, clipEnd)];
    for (const box of tileBoxes(tile, view)) {
      if (box.startPx < high && (box.endPx > low || box.startPx >= low)) {
        yield { ...box, startPx: Math.max(low, box.startPx), endPx: Math.min(high, box.endPx) };
      }
    }
  }
}

function* tileBoxes(tile: DrawTile["tile"], view: View): Generator<Box> {
  const { slices, bins, originTicks, binTicks } = tile;
  const { start, end, shift } = placeSlices(tile, view.startTicks);
  const x = (ticks: number) => (ticks + shift - view.startFraction) / view.ticksPerPx;
  for (let k = 0; k < slices.length; k++) {
    yield { row: slices.row[k]!, name: slices.name[k]!, startPx: x(start[k]!), endPx: x(end[k]!), busy: 1 };
  }
  const [originPx, widthPx] = [xOfTick(view, originTicks), binTicks / view.ticksPerPx];
  for (let k = 0; k < bins.length; k++) {
    const startPx = originPx + bins.bin[k]! * widthPx;
    const busy = Math.min(1, bins.busy[k]! / binTicks);
    yield { row: bins.row[k]!, name: bins.name[k]!, startPx, endPx: startPx + widthPx, busy };
  }
}
