/** Figures of the status line about the tiles that are drawn. Pure. */

import { type Coverage, type Ticks, ticks } from "@tilescope/client";
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

/**
 * Coverage of each track once; not of headers above their tracks, which repeat the events of these, nor of pinned tracks whose closed group
 * is on the screen, too: its header has their events already.
 */
export function coveragesOf({ scene, coverages }: Picture): readonly Coverage[] {
  const counted = scene.tracks.filter(({ isCounted }) => isCounted).map(({ track }) => track);
  const summed = new Set(counted.flatMap(({ children }) => children));
  const tracks = new Set(counted.map(({ id }) => id).filter((id) => !summed.has(id)));
  return [...tracks].flatMap((track) => coverages.get(track) ?? []);
}
