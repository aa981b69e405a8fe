/**
 * Facts that root tiles tell of their tracks in a build that grows, before the track tree does: the number of rows, and the values between
 * which a counter lies. A root tile has something of all of its track.
 */

import type { TileData, Track } from "@tilescope/client";

export type RootTileFacts = Partial<Pick<Track, "rows" | "values">>;

/** Facts that a root tile adds to its track, or null. */
export function factsOfRootTile({ slices, bins, counterBins, samples }: TileData, track: Track): RootTileFacts | null {
  if (track.kind === "counter") {
    const min = Math.min(lowest(counterBins.min), lowest(samples.value));
    const max = Math.max(highest(counterBins.max), highest(samples.value));
    if (min > max || (track.values?.min === min && track.values.max === max)) {
      return null;
    }
    return { values: { min, max } };
  }
  const rows = 1 + Math.max(slices.row.reduce(larger, 0), bins.row.reduce(larger, 0));
  return rows > track.rows ? { rows } : null;
}

function larger(a: number, b: number): number {
  return a > b ? a : b;
}

/** Values that are not numbers do not count. */
function lowest(values: Float64Array): number {
  return values.reduce((least, value) => (value < least ? value : least), Number.POSITIVE_INFINITY);
}

function highest(values: Float64Array): number {
  return values.reduce((most, value) => (value > most ? value : most), Number.NEGATIVE_INFINITY);
}
