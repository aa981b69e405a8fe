/**
 * The nearest slice of a row, before or after a time, found in the tile tree: up from the leaf until a tile says by its
 * bins or single slices that there is more of the row, and down again to the slice. That takes at most a few tiles for
 * each level, however many events lie between, and mostly the one leaf that is on the screen anyway.
 */

import { binStart, sliceDuration, sliceStart, type TileData, tileEnd } from "@tilescope/client";

export interface RowSlice {
  readonly ordinal: number;
  readonly row: number;
  readonly startTicks: bigint;
  readonly endTicks: bigint;
}

export interface RowSearch {
  readonly row: number;
  readonly isForward: boolean;
  readonly accepts: (slice: RowSlice) => boolean;
  /** Earliest and latest start of the slice that is searched for, in ticks. */
  readonly first: bigint;
  readonly last: bigint;
}

/** The tiles of one track: null where there is none. Rejects when a tile cannot be had. */
export interface TrackTiles {
  readonly tile: (level: number, index: number) => Promise<TileData | null>;
  readonly leafAt: (tick: bigint) => Promise<TileData | null>;
}

const QUARTERS = [0, 1, 2, 3];

/** The slice with the lowest ordinal that is accepted (the highest when looking back), or null. */
export async function searchRow(tiles: TrackTiles, from: bigint, search: RowSearch): Promise<RowSlice | null> {
  let { first, last } = search;
  for (let tile = await tiles.leafAt(from); tile !== null && first <= last; ) {
    const neighbour = await searchTile(tiles, tile, { ...search, first, last });
    if (neighbour !== null) {
      return neighbour;
    }
    // What lies in this tile is done with.
    if (search.isForward) {
      first = larger(first, tileEnd(tile.level, tile.index));
    } else {
      last = smaller(last, tile.originTicks - 1n);
    }
    tile = await tiles.tile(tile.level + 1, Math.floor(tile.index / 4));
  }
  return null;
}

/** All slices of a row that a tile holds one by one. */
export function* slicesOf(tile: TileData, wantedRow: number): Iterable<RowSlice> {
  const { ordinal, row, length } = tile.slices;
  for (let k = 0; k < length; k++) {
    if (row[k] !== wantedRow) {
      continue;
    }
    const startTicks = sliceStart(tile, k);
    yield { ordinal: ordinal[k]!, row: wantedRow, startTicks, endTicks: startTicks + sliceDuration(tile, k) };
  }
}

async function searchTile(tiles: TrackTiles, tile: TileData, search: RowSearch): Promise<RowSlice | null> {
  let best: RowSlice | null = null;
  for (const slice of slicesOf(tile, search.row)) {
    if (search.accepts(slice)) {
      best = nearer(best, slice, search.isForward);
    }
  }
  if (tile.kind === "leaf") {
    return best;
  }
  for (const quarter of search.isForward ? QUARTERS : QUARTERS.toReversed()) {
    if (!mayHoldNearer(tile, quarter, best, search)) {
      continue;
    }
    const child = await tiles.tile(tile.level - 1, 4 * tile.index + quarter);
    const neighbour = child === null ? null : await searchTile(tiles, child, search);
    // Later quarters are further away.
    if (neighbour !== null) {
      return nearer(best, neighbour, search.isForward);
    }
  }
  return best;
}

/** True if short slices of the row start in a quarter of a tile, and none of the single slices is certainly nearer. */
function mayHoldNearer(
  tile: TileData,
  quarter: number,
  best: RowSlice | null,
  { row: wantedRow, isForward, first, last }: RowSearch,
): boolean {
  const { bin, row, count, length } = tile.bins;
  for (let k = 0; k < length; k++) {
    if (row[k] !== wantedRow || bin[k]! >> 6 !== quarter || count[k] === 0) {
      continue;
    }
    const start = binStart(tile, bin[k]!);
    const end = start + BigInt(tile.binTicks);
    if (end <= first || start > last) {
      continue;
    }
    if (best === null || (isForward ? start <= best.startTicks : end > best.startTicks)) {
      return true;
    }
  }
  return false;
}

function nearer(a: RowSlice | null, b: RowSlice, isForward: boolean): RowSlice {
  return a === null || isForward === b.ordinal < a.ordinal ? b : a;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
