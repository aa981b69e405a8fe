/** What the status line says of a picture, counted from the very tiles that are drawn. Pure. */

import { type Coverage, type DrawTile, SLICE_CONTINUES, type Ticks, ticks, visibleRange } from "@tilescope/client";
import type { Picture } from "./picture";

/** The widest bins that are drawn; null where every event is drawn as itself. */
export function widestBinTicks(picture: Picture): Ticks | null {
  let binTicks = 0;
  for (const { draws } of coveragesOf(picture)) {
    for (const { tile } of draws) {
      if (tile.bins.length > 0 || tile.counterBins.length > 0) binTicks = Math.max(binTicks, tile.binTicks);
    }
  }
  return binTicks === 0 ? null : ticks(binTicks);
}

/** Events that start in the view; bins at its edges count whole. Null while something is missing. */
export function countEvents(picture: Picture): number | null {
  const range = visibleRange(picture.deviceView);
  let events = 0;
  for (const coverage of coveragesOf(picture)) {
    if (!coverage.complete) return null;
    for (const draw of coverage.draws) events += countIn(draw, range.startTicks, range.endTicks);
  }
  return events;
}

/** Of each track once; not of rollups, which repeat the events of their tracks. */
function coveragesOf({ scene, coverages }: Picture): readonly Coverage[] {
  const tracks = new Set(scene.tracks.filter(({ place }) => place === "track").map(({ track }) => track.id));
  return [...tracks].flatMap((track) => coverages.get(track) ?? []);
}

function countIn({ tile }: DrawTile, startTicks: Ticks, endTicks: Ticks): number {
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
