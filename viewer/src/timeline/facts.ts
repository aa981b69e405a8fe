/** What the status line says of a picture, counted from the very tiles that are drawn. Pure. */

import { type Ticks, ticks } from "../base/time";
import { visibleRange } from "../base/view";
import type { DrawTile } from "../pages/coverage";
import { SLICE_CONTINUES } from "../pages/tile";
import type { Picture } from "./picture";

export interface PictureFacts {
  /** Events that start in the view; bins at its edges count whole. Null while something is missing. */
  readonly events: number | null;
  /** The widest bins that are drawn; null where every event is drawn as itself. */
  readonly binTicks: Ticks | null;
}

/** Rollups repeat the events of their tracks, so they are left out. */
export function factsOf(picture: Picture): PictureFacts {
  let events: number | null = 0;
  let binTicks = 0;
  const range = visibleRange(picture.deviceView);
  const seen = new Set<number>();
  for (const { track, place } of picture.scene.tracks) {
    if (place !== "track" || seen.has(track.id)) continue;
    seen.add(track.id);
    const coverage = picture.coverages.get(track.id);
    if (coverage === undefined || !coverage.complete) events = null;
    for (const draw of coverage?.draws ?? []) {
      if (draw.tile.bins.length > 0 || draw.tile.counterBins.length > 0) {
        binTicks = Math.max(binTicks, draw.tile.binTicks);
      }
      if (events !== null) events += countEvents(draw, range.startTicks, range.endTicks);
    }
  }
  return { events, binTicks: binTicks === 0 ? null : ticks(binTicks) };
}

function countEvents({ tile }: DrawTile, startTicks: Ticks, endTicks: Ticks): number {
  // Relative to the tile's origin: doubles are enough to decide on which side of the view's edge an event starts.
  const from = Number(startTicks - tile.originTicks);
  const to = Number(endTicks - tile.originTicks);
  let count = 0;
  const { slices, bins, counterBins, samples } = tile;
  for (let k = 0; k < slices.length; k++) {
    const start = slices.startOffset[k]!;
    if ((slices.flags[k]! & SLICE_CONTINUES) === 0 && start >= from && start < to) count += 1;
  }
  for (let k = 0; k < samples.length; k++) {
    const time = samples.timeOffset[k]!;
    if (time >= from && time < to) count += 1;
  }
  const overlaps = (bin: number) => (bin + 1) * tile.binTicks > from && bin * tile.binTicks < to;
  for (let k = 0; k < bins.length; k++) if (overlaps(bins.bin[k]!)) count += bins.count[k]!;
  for (let k = 0; k < counterBins.length; k++) if (overlaps(counterBins.bin[k]!)) count += counterBins.n[k]!;
  return count;
}
