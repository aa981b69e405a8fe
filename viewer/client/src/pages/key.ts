/** Names of pages and the geometry of tiles, as docs/page-format.md defines them. */

import { type Ticks, ticks } from "../base/time";

/** Tracks in a block. */
export const TRACKS_PER_BLOCK = 32;
/** Bins across a tile. */
export const BINS_PER_TILE = 256;
/** Tile 0 of this level covers all times below 2**61. */
export const MAX_LEVEL = 27;

/** A page is named by its first tile. */
export interface PageKey {
  readonly block: number;
  readonly level: number;
  readonly index: number;
  readonly slot: number;
}

/** A page key as text, for maps and addresses: `block/level/index/slot`. */
export type PageName = `${number}/${number}/${number}/${number}`;

/** The name of a page, as it stands in addresses. */
export function pageName(key: PageKey): PageName {
  return `${key.block}/${key.level}/${key.index}/${key.slot}`;
}

/** The block of a track. */
export function blockOf(track: number): number {
  return Math.floor(track / TRACKS_PER_BLOCK);
}

/** The place of a track in its block. */
export function slotOf(track: number): number {
  return track % TRACKS_PER_BLOCK;
}

/** Ticks in a bin of a level; a power of two, so exact at every level. */
export function binTicks(level: number): number {
  return 4 ** level;
}

/** The first tick of a tile. */
export function tileOrigin(level: number, index: number): Ticks {
  return ticks(BigInt(index) << tileShift(level));
}

/** The index of the tile of a level that holds a time; times before the run's origin are in tile 0. */
export function tileIndexAt(level: number, time: bigint): number {
  return time <= 0n ? 0 : Number(time >> tileShift(level));
}

function tileShift(level: number): bigint {
  return BigInt(8 + 2 * level);
}
