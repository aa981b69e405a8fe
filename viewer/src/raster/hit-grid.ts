/**
 * Density of the hits of a search in a view, row by row, as the server has counted them. Pure.
 *
 * Rows hold one slice at a time. So a slice that has a whole bin within it is a hit where that bin is busy throughout, and only
 * there: which slices are hits is the server's answer, too.
 */

import { type TickRange, type Ticks, ticks } from "@tilescope/client";

/** Bins with hits, as columns of equal length. Times are decimal. */
export interface HitBinColumns {
  readonly track: readonly number[];
  readonly row: readonly number[];
  readonly start: readonly string[];
  readonly count: readonly number[];
  readonly busy: readonly string[];
}

/** The bins with hits of one row, ascending. */
export interface HitLane {
  /** The number of the bin, from the first of the grid on. */
  readonly bin: Float64Array;
  /** Hits that start in the bin. */
  readonly count: Float64Array;
  /** Share of the bin that is busy with hits: 1 and more only where it is so throughout. */
  readonly part: Float64Array;
}

export class HitGrid {
  readonly originTicks: Ticks;
  readonly binTicks: number;
  /** So many bins from the first on have been counted. */
  readonly #bins: number;
  readonly #lanes: Map<string, HitLane>;

  constructor(originTicks: Ticks, binTicks: number, bins: number, lanes: Map<string, HitLane>) {
    this.originTicks = originTicks;
    this.binTicks = binTicks;
    this.#bins = bins;
    this.#lanes = lanes;
  }

  /** `range` is what was counted: all bins that it touches. */
  static fromColumns(range: TickRange, binTicks: bigint, columns: HitBinColumns): HitGrid {
    const originTicks = ticks(range.startTicks - (range.startTicks % binTicks));
    const bins = Math.ceil(Number(range.endTicks - originTicks) / Number(binTicks));
    const lanes = new Map<string, HitLane>();
    const starts = columns.start.map(BigInt);
    let first = 0;
    for (let k = 1; k <= starts.length; k++) {
      if (columns.track[k] !== columns.track[first] || columns.row[k] !== columns.row[first]) {
        lanes.set(keyOf(columns.track[first]!, columns.row[first]!), {
          bin: Float64Array.from(starts.slice(first, k), (start) => Number((start - originTicks) / binTicks)),
          count: Float64Array.from(columns.count.slice(first, k)),
          part: Float64Array.from(columns.busy.slice(first, k), (busy) => partOf(BigInt(busy), binTicks)),
        });
        first = k;
      }
    }
    return new HitGrid(originTicks, Number(binTicks), bins, lanes);
  }

  /** The same hits as clocks that are shifted by so many ticks draw them. */
  later(shiftTicks: bigint): HitGrid {
    return shiftTicks === 0n
      ? this
      : new HitGrid(ticks(this.originTicks + shiftTicks), this.binTicks, this.#bins, this.#lanes);
  }

  /** Null where there are no hits. */
  lane(track: number, row: number): HitLane | null {
    return this.#lanes.get(keyOf(track, row)) ?? null;
  }

  /** True if a slice of a row is a hit; null where no counted bin lies within it. Times in ticks from `originTicks` on. */
  isHit(lane: HitLane, start: number, end: number): boolean | null {
    const bin = Math.max(0, Math.ceil(start / this.binTicks));
    if (bin >= this.#bins || (bin + 1) * this.binTicks > end) {
      return null;
    }
    return (lane.part[indexOf(lane.bin, bin)] ?? 0) >= 1;
  }
}

function keyOf(track: number, row: number): string {
  return `${track} ${row}`;
}

/** Rounding must not make a bin whole that is not. */
function partOf(busy: bigint, binTicks: bigint): number {
  const part = Number(busy) / Number(binTicks);
  return busy < binTicks && part >= 1 ? 1 - Number.EPSILON : part;
}

/** Index of a number in an ascending column, or -1. */
function indexOf(column: Float64Array, wanted: number): number {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle]! < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return column[low] === wanted ? low : -1;
}
