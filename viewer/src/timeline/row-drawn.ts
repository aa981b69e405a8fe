/** Bins and slices that are drawn on a row, one after the other, as the picture has them. Pure. */

import { binStart, type DrawTile, sliceDuration, sliceStart, type TickRange } from "@tilescope/client";
import { type BinHit, binHit, type SliceHit, sliceHit } from "../raster/hit";

type Drawn = BinHit | SliceHit;

type Spot = readonly [start: bigint, end: bigint];

/**
 * The next bin or slice after one that lies there, or the one before it: by where they begin, then by where they end. Null: there
 * is none.
 */
export function drawnBeside(
  draws: readonly DrawTile[],
  row: number,
  { startTicks, endTicks }: TickRange,
  direction: "previous" | "next",
): Drawn | null {
  const from: Spot = [startTicks, endTicks];
  const isForward = direction === "next";
  let spot: Spot | null = null;
  let best: (() => Drawn) | null = null;
  const offer = (other: Spot, hit: () => Drawn): void => {
    const isBeside = isForward ? isBefore(from, other) : isBefore(other, from);
    if (isBeside && (spot === null || (isForward ? isBefore(other, spot) : isBefore(spot, other)))) {
      spot = other;
      best = hit;
    }
  };
  for (const { tile, clipStart, clipEnd } of draws) {
    const { bins, slices } = tile;
    for (let k = 0; k < bins.length; k++) {
      const start = binStart(tile, bins.bin[k]!);
      if (bins.row[k] === row && start >= clipStart && start < clipEnd) {
        offer([start, start + BigInt(tile.binTicks)], () => binHit(tile, k));
      }
    }
    for (let k = 0; k < slices.length; k++) {
      if (slices.row[k] === row) {
        const start = sliceStart(tile, k);
        offer([start, start + sliceDuration(tile, k)], () => sliceHit(tile, k));
      }
    }
  }
  return (best as (() => Drawn) | null)?.() ?? null;
}

function isBefore(spot: Spot, other: Spot): boolean {
  return spot[0] < other[0] || (spot[0] === other[0] && spot[1] < other[1]);
}
