/** Number of events in view, counted from the very tiles that are drawn. Pure. */

import { type DrawTile, SLICE_CONTINUES, type Ticks, visibleRange } from "@tilescope/client";
import type { EventCount } from "../state/draw-status";
import { coveragesOf } from "./facts";
import type { Picture } from "./picture";

/** Counted from what is drawn; null while something is missing. */
export function countEvents(picture: Picture): EventCount | null {
  const range = visibleRange(picture.deviceView);
  const sum = { starts: 0, atEdges: 0, reachIn: 0, isExact: true };
  for (const coverage of coveragesOf(picture)) {
    if (!coverage.complete) {
      return null;
    }
    coverage.draws.forEach((draw, k) => {
      const part = countIn(draw, range.startTicks, range.endTicks, k === 0);
      sum.starts += part.starts;
      sum.atEdges += part.atEdges;
      sum.reachIn += part.reachIn;
      sum.isExact &&= part.isExact;
    });
  }
  return sum;
}

/** `isFirst`: of its track. A slice that reaches over the edge is in every tile that it overlaps, and counted once. */
function countIn({ tile }: DrawTile, startTicks: Ticks, endTicks: Ticks, isFirst: boolean): EventCount {
  // Relative to the tile's origin: doubles are enough to decide on which side of the view's edge an event starts.
  const from = Number(startTicks - tile.originTicks);
  const to = Number(endTicks - tile.originTicks);
  let starts = 0;
  let atEdges = 0;
  let reachIn = 0;
  let isExact = true;
  const { slices, bins, counterBins, samples } = tile;
  for (let k = 0; k < slices.length; k++) {
    const start = slices.startOffset[k]!;
    if ((slices.flags[k]! & SLICE_CONTINUES) === 0 && start >= from && start < to) {
      starts += 1;
    }
    if (isFirst && start < from && slices.endOffset[k]! > from) {
      reachIn += 1;
    }
  }
  for (let k = 0; k < samples.length; k++) {
    const time = samples.timeOffset[k]!;
    if (time >= from && time < to) {
      starts += 1;
    }
  }
  const addBin = (bin: number, count: number): void => {
    const begin = bin * tile.binTicks;
    const end = begin + tile.binTicks;
    if (end <= from || begin >= to) {
      return;
    }
    starts += count;
    if (begin < from || (end > to && count > 0)) {
      atEdges += count;
      isExact = false;
    }
  };
  for (let k = 0; k < bins.length; k++) {
    addBin(bins.bin[k]!, bins.count[k]!);
  }
  for (let k = 0; k < counterBins.length; k++) {
    addBin(counterBins.bin[k]!, counterBins.n[k]!);
  }
  return { starts, atEdges, reachIn, isExact };
}
