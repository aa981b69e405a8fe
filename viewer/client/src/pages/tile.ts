/**
 * A decoded tile: typed-array columns, with times relative to the tile's origin.
 *
 * Doubles are exact up to 2**53 ticks, which covers every tile of a run below 2.5 hours of picoseconds. In longer runs
 * the columns of the tiles concerned keep the 64-bit values as well, and say so by `wide`.
 */

import { plus, type Ticks, ticks } from "../base/time";
import { BINS_PER_TILE, binTicks, tileOrigin } from "./key";

/**
 * `leaf`: all events, exactly. `interior`: individuals and bins. `terminal`: bins, and nothing finer exists.
 * `provisional`: how busy the track is as a whole, until it is built.
 */
export type TileKind = "leaf" | "interior" | "terminal" | "provisional";

/** No name: larger than any id, so that it has no colour of its own. */
export const NO_NAME = 0xffffffff;

/** The slice reaches in from the left: it is counted in another tile. */
export const SLICE_CONTINUES = 1;

/** Oddities of a slice, by the bits of its flags; `SLICE_CONTINUES` is set by its tile. */
const SLICE_FLAGS: readonly (readonly [bit: number, name: SliceFlag])[] = [
  [2, "open"],
  [4, "renamed"],
  [8, "aggregated"],
  [16, "clamped"],
  [32, "no_duration"],
];
/** A flag of a slice, by its name. */
export type SliceFlag = "open" | "renamed" | "aggregated" | "clamped" | "no_duration";

/** The names of the flags, as the details of an event have them. */
export function sliceFlags(flags: number): SliceFlag[] {
  return SLICE_FLAGS.filter(([bit]) => (flags & bit) !== 0).map(([, name]) => name);
}

/**
 * Memory that a tile takes beside its columns: objects, with a view for each column. Measured in Node: 830 bytes with slices
 * alone, as most are, and nearly twice as much with bins as well; browsers keep shorter pointers.
 */
export const TILE_BYTES = 1000;

/** Memory that columns take, those in them included. */
export function columnBytes(columns: object): number {
  let sum = 0;
  for (const value of Object.values(columns)) {
    if (ArrayBuffer.isView(value)) {
      sum += value.byteLength;
    } else if (value !== null && typeof value === "object") {
      sum += columnBytes(value);
    }
  }
  return sum;
}

/** Slices in the order of their ordinals. All columns have `length` values. */
export interface SliceColumns {
  readonly length: number;
  /** Ticks after the tile's origin; negative where the slice starts before it. */
  readonly startOffset: Float64Array;
  readonly endOffset: Float64Array;
  readonly row: Uint32Array;
  readonly name: Uint32Array;
  readonly ordinal: Float64Array;
  readonly flags: Uint8Array;
  /** Exact ticks since the run's origin; only where an offset is beyond 2**53. */
  readonly wide: { readonly start: BigInt64Array; readonly duration: BigInt64Array } | null;
}

/** Bins in the order (row, bin). `count` slices start in the bin. */
export interface BinColumns {
  readonly length: number;
  readonly bin: Uint8Array;
  readonly row: Uint32Array;
  readonly count: Float64Array;
  /** Ticks to draw, rounded: 0 in some bins that are there, and a little more than the bin's width in others. */
  readonly busy: Float64Array;
  /** The dominant name; `NO_NAME` where none of its events names it. */
  readonly name: Uint32Array;
  /** The dominant name's part of `busy` (of `count` where busy is 0), in 255ths. */
  readonly share: Uint8Array;
  /** Values before rounding; null until the residual of the page has been applied. */
  readonly exact: ExactColumns | null;
}

/** Ticks: sums over thousands of rows may be beyond 2**53. `longest` is of the slices that touch the bin. */
export interface ExactColumns {
  readonly busy: BigInt64Array;
  readonly longest: BigInt64Array;
}

/** Bins of a counter: entries of all columns have the same index. */
export interface CounterBinColumns {
  readonly length: number;
  readonly bin: Uint8Array;
  readonly n: Float64Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly mean: Float64Array;
}

/** Samples of a counter: entries of all columns have the same index. */
export interface SampleColumns {
  readonly length: number;
  readonly timeOffset: Float64Array;
  readonly value: Float64Array;
  readonly ordinal: Float64Array;
  readonly wide: BigInt64Array | null;
}

/** Sums of rollups stop here: a bin with so many busy ticks has at least that many. */
export const BUSY_LIMIT = 1n << 62n;

/** Track, level and index of a tile. */
export interface TileName {
  readonly track: number;
  readonly level: number;
  readonly index: number;
}

/** A decoded tile. */
export interface TileData extends TileName {
  readonly kind: TileKind;
  readonly originTicks: Ticks;
  /** Ticks per bin. */
  readonly binTicks: number;
  readonly slices: SliceColumns;
  readonly bins: BinColumns;
  readonly counterBins: CounterBinColumns;
  readonly samples: SampleColumns;
  /** Counter tiles: the value in force at the tile's start, NaN when there is none. */
  readonly carry: number;
}

/** A tile that is in memory, or undefined. */
export type TileLookup = (track: number, level: number, index: number) => TileData | undefined;

/** Slice times relative to some anchor: `start[k] + shift` ticks after it. */
export interface PlacedSlices {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly shift: number;
}

/**
 * The slices' times relative to `anchor`: one BigInt subtraction per tile, and none per slice unless the numbers are
 * too large for doubles.
 */
export function placeSlices(tile: TileData, anchor: bigint): PlacedSlices {
  const { slices } = tile;
  const shift = Number(tile.originTicks - anchor);
  if (slices.wide === null && Number.isSafeInteger(shift)) {
    return { start: slices.startOffset, end: slices.endOffset, shift };
  }
  const start = new Float64Array(slices.length);
  const end = new Float64Array(slices.length);
  for (let k = 0; k < slices.length; k++) {
    const exact = sliceStart(tile, k);
    start[k] = Number(exact - anchor);
    end[k] = Number(exact + sliceDuration(tile, k) - anchor);
  }
  return { start, end, shift: 0 };
}

/** The exact start of slice `k`, in ticks since the run's origin. */
export function sliceStart(tile: TileData, k: number): Ticks {
  const { wide, startOffset } = tile.slices;
  return wide === null ? plus(tile.originTicks, BigInt(startOffset[k]!)) : ticks(wide.start[k]!);
}

/** Duration of a slice of a tile, in ticks. */
export function sliceDuration(tile: TileData, k: number): Ticks {
  const { wide, startOffset, endOffset } = tile.slices;
  return ticks(wide === null ? endOffset[k]! - startOffset[k]! : wide.duration[k]!);
}

/** The exact time of sample `k`, in ticks since the run's origin. */
export function sampleTime(tile: TileData, k: number): Ticks {
  const { wide, timeOffset } = tile.samples;
  return wide === null ? plus(tile.originTicks, BigInt(timeOffset[k]!)) : ticks(wide[k]!);
}

/** The first tick of a bin. */
export function binStart(tile: TileData, bin: number): Ticks {
  return plus(tile.originTicks, BigInt(bin) * BigInt(tile.binTicks));
}

/** The first tick after the tile. */
export function tileEnd(level: number, index: number): Ticks {
  return plus(tileOrigin(level, index), BigInt(BINS_PER_TILE) * BigInt(binTicks(level)));
}
