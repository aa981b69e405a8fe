/**
 * From a slice to its neighbours. What is drawn answers where it leaves no doubt: the next slice that is drawn as itself
 * is the next one if no bin of that row lies between. Otherwise the tiles are searched, so that no slice is stepped over
 * because it was too short to be drawn.
 */

import { binStart, type Coverage, type TickRange, type TileData } from "@tilescope/client";
import { type RowSlice, searchRow, slicesOf, type TrackTiles } from "./row-search";

export type Neighbour = RowSlice;
export type Direction = "previous" | "next" | "parent" | "child";

/** Tiles that are drawn of the slice's track, and their range. */
export interface Drawn {
  readonly coverage: Coverage;
  readonly range: TickRange;
}

/** After every tick of any run. */
export const NEVER = 1n << 61n;

/** The neighbour of a slice, or null where it has none. Rejects when a tile that is needed cannot be had. */
export async function neighbourOf(
  from: Neighbour,
  direction: Direction,
  drawn: Drawn,
  tiles: TrackTiles,
): Promise<Neighbour | null> {
  const candidate = drawnNeighbour(from, direction, drawn);
  if (candidate !== null) {
    return candidate;
  }
  const row = targetRow(from, direction);
  if (row < 0) {
    return null;
  }
  const accepts = (slice: Neighbour) => isNeighbour(from, slice, direction);
  if (direction === "parent") {
    // Whatever runs when the slice starts is in the leaf there.
    const leaf = await tiles.leafAt(from.startTicks);
    return leaf === null ? null : ([...slicesOf(leaf, row)].find(accepts) ?? null);
  }
  const isForward = direction !== "previous";
  const [first, last] = isForward ? [from.startTicks, NEVER] : [0n, from.startTicks];
  const search = { row, isForward, accepts, first, last: direction === "child" ? from.endTicks - 1n : last };
  return searchRow(tiles, from.startTicks, search);
}

function isNeighbour(from: Neighbour, candidate: Neighbour, direction: Direction): boolean {
  const { row, ordinal, startTicks, endTicks } = candidate;
  switch (direction) {
    case "next":
      return row === from.row && ordinal > from.ordinal;
    case "previous":
      return row === from.row && ordinal < from.ordinal;
    case "parent":
      return row === from.row - 1 && startTicks <= from.startTicks && endTicks > from.startTicks;
    case "child":
      return row === from.row + 1 && ordinal > from.ordinal && startTicks < from.endTicks;
  }
}

/** The neighbour as far as what is drawn is sure of it, or null. */
function drawnNeighbour(from: Neighbour, direction: Direction, { coverage, range }: Drawn): Neighbour | null {
  if (!coverage.complete) {
    return null;
  }
  let best: Neighbour | null = null;
  for (const { tile } of coverage.draws) {
    for (const candidate of slicesOf(tile, targetRow(from, direction))) {
      if (!isNeighbour(from, candidate, direction)) {
        continue;
      }
      const isNearer = best === null || (direction === "previous") === candidate.ordinal > best.ordinal;
      if (isNearer) {
        best = candidate;
      }
    }
  }
  if (best === null || direction === "parent") {
    return best;
  }
  const [gapStart, gapEnd] = gapOf(from, best, direction);
  const isVisible = gapStart >= range.startTicks && gapEnd <= range.endTicks;
  const row = targetRow(from, direction);
  return isVisible && !coverage.draws.some(({ tile }) => hasBinBetween(tile, row, gapStart, gapEnd)) ? best : null;
}

function targetRow(from: Neighbour, direction: Direction): number {
  return from.row + (direction === "parent" ? -1 : direction === "child" ? 1 : 0);
}

/** The time in which a nearer neighbour would have to lie. */
function gapOf(from: Neighbour, to: Neighbour, direction: Direction): readonly [bigint, bigint] {
  if (direction === "next") {
    return [from.endTicks, to.startTicks];
  }
  return direction === "previous" ? [to.endTicks, from.startTicks] : [from.startTicks, to.startTicks];
}

function hasBinBetween(tile: TileData, wantedRow: number, gapStart: bigint, gapEnd: bigint): boolean {
  const { bin, row, length } = tile.bins;
  for (let k = 0; k < length; k++) {
    if (row[k] !== wantedRow) {
      continue;
    }
    const startTicks = binStart(tile, bin[k]!);
    if (startTicks <= gapEnd && startTicks + BigInt(tile.binTicks) > gapStart) {
      return true;
    }
  }
  return false;
}
