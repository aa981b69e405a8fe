/** Figures of the status line, counted from the very tiles that are drawn. Pure. */

import { type Coverage, type DrawTile, SLICE_CONTINUES, type Ticks, ticks, visibleRange } from "@tilescope/client";
import type { EventCount } from "../state/draw-status";
import type { Picture } from "./picture";

/** The widest bins that are drawn; null where every event is drawn as itself. */
export function widestBinTicks(picture: Picture): Ticks | null {
  let binTicks = 0;
  for (const { draws, provisional } of coveragesOf(picture)) {
    if (provisional === true) {
      continue;
    }
    for (const { tile } of draws) {
      if (tile.bins.length > 0 || tile.counterBins.length > 0) {
        binTicks = Math.max(binTicks, tile.binTicks);
      }
    }
  }
  return binTicks === 0 ? null : ticks(binTicks);
}

/** Number of visible tracks, headers included, that are not built yet. */
export function countProvisional({ coverages }: Picture): number {
  return [...coverages.values()].filter(({ provisional }) => provisional === true).length;
}

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

/**
 * Coverage of each track once; not of headers above their tracks, which repeat the events of these, nor of pinned tracks whose closed group
 * is on the screen, too: its header has their events already.
 */
function coveragesOf({ scene, coverages }: Picture): readonly Coverage[] {
  const counted = scene.tracks.filter(({ isCounted }) => isCounted).map(({ track }) => track);
  const summed = new Set(counted.flatMap(({ children }) => children));
  const tracks = new Set(counted.map(({ id }) => id).filter((id) => !summed.has(id)));
  return [...tracks].flatMap((track) => coverages.get(track) ?? []);
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
