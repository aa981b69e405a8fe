/**
 * Counters: the range and the mean of a counter's value in each pixel column.
 *
 * A counter is a step function: a sample's value is in force until the next one. Columns are exact for leaf tiles; for
 * bins the range is that of the bins that touch the column. Behind its last sample a counter goes on with that value to the
 * end of the run, as something that nobody knows.
 */

import { type DrawTile, sampleTime, type View, xOfTick } from "@tilescope/client";
import { type CounterEnds, counterPlace } from "./counter-ends";

/** One value per pixel column, NaN where no value is in force. */
export interface CounterColumns {
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** Weighted by time. */
  readonly mean: Float64Array;
  /** The columns from here on lie behind the last sample. */
  readonly knownToPx: number;
}

/**
 * A connected piece of a counter: its band from `upper` to `lower`, and the line of its mean. Lines are x and y of their points
 * in turn, without points in the middle of level stretches: objects for points would be thousands in each frame.
 */
export interface CounterPiece {
  /** Not behind the last sample. */
  readonly isKnown: boolean;
  readonly upper: readonly number[];
  readonly lower: readonly number[];
  readonly mean: readonly number[];
}

export function counterColumns(draws: readonly DrawTile[], view: View, ends: CounterEnds): CounterColumns {
  const widthPx = Math.max(1, Math.round(view.widthPx));
  const { fromPx, toPx, knownToPx } = counterPlace(view, ends);
  const columns = new Columns(widthPx);
  for (const draw of draws) {
    const from = Math.max(0, fromPx, xOfTick(view, draw.clipStart));
    const to = Math.min(widthPx, toPx, xOfTick(view, draw.clipEnd));
    if (from < to) {
      columns.clip(from, to);
      if (draw.tile.kind === "leaf") {
        addSamples(columns, draw, view);
      } else {
        addBins(columns, draw, view, knownToPx);
      }
    }
  }
  return { ...columns.finish(), knownToPx };
}

/** The points of a counter in a lane of `heightPx`, where `low` lies at the bottom and `high` at the top. */
export function counterPieces(columns: CounterColumns, low: number, high: number, heightPx: number): CounterPiece[] {
  const scale = high > low ? heightPx / (high - low) : 0;
  const y = (value: number): number =>
    scale === 0 ? heightPx / 2 : Math.min(heightPx, Math.max(0, heightPx - (value - low) * scale));
  const pieces: CounterPiece[] = [];
  let piece: { isKnown: boolean; upper: number[]; lower: number[]; mean: number[] } | null = null;
  for (let x = 0; x < columns.mean.length; x++) {
    if (Number.isNaN(columns.min[x]!)) {
      piece = null;
      continue;
    }
    const isKnown = x < columns.knownToPx;
    if (piece === null || piece.isKnown !== isKnown) {
      piece = { isKnown, upper: [], lower: [], mean: [] };
      pieces.push(piece);
    }
    addLevel(piece.upper, x, x + 1, y(columns.max[x]!));
    addLevel(piece.lower, x, x + 1, y(columns.min[x]!));
    addLevel(piece.mean, x + 0.5, x + 0.5, y(columns.mean[x]!));
  }
  return pieces;
}

/** Goes on with a line, level from `x0` to `x1`. */
function addLevel(line: number[], x0: number, x1: number, y: number): void {
  const { length } = line;
  if (length >= 4 && line[length - 1] === y && line[length - 3] === y) {
    line[length - 2] = x1;
    return;
  }
  line.push(x0, y);
  if (x1 > x0) {
    line.push(x1, y);
  }
}

function addSamples(columns: Columns, { tile }: DrawTile, view: View): void {
  const { length, value } = tile.samples;
  let xPx = xOfTick(view, tile.originTicks);
  let inForce = tile.carry;
  for (let k = 0; k < length; k++) {
    const x = xOfTick(view, sampleTime(tile, k));
    columns.add(xPx, x, inForce, inForce, inForce);
    xPx = x;
    inForce = value[k]!;
    // A sample that is replaced at once was there nevertheless.
    columns.touch(x, inForce, inForce);
  }
  columns.add(xPx, Number.POSITIVE_INFINITY, inForce, inForce, inForce);
}

/** The bin of the last sample of all ends with that sample's pixel: as at closer zoom, what follows is the value alone. */
function addBins(columns: Columns, { tile }: DrawTile, view: View, knownToPx: number): void {
  const { length, bin, min, max, mean, last } = tile.counterBins;
  const originPx = xOfTick(view, tile.originTicks);
  const binPx = tile.binTicks / view.ticksPerPx;
  let xPx = originPx;
  let inForce = tile.carry;
  for (let k = 0; k < length; k++) {
    const x = originPx + bin[k]! * binPx;
    columns.add(xPx, x, inForce, inForce, inForce);
    xPx = Math.max(x, Math.min(x + binPx, knownToPx));
    // Up to its first sample the bin has the value from before.
    const before = Number.isNaN(inForce) ? min[k]! : inForce;
    const low = Math.min(before, min[k]!);
    const high = Math.max(before, max[k]!);
    columns.add(x, xPx, low, high, mean[k]!);
    inForce = last[k]!;
  }
  columns.add(xPx, Number.POSITIVE_INFINITY, inForce, inForce, inForce);
}

class Columns {
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sum: Float64Array;
  readonly #weight: Float64Array;
  #from = 0;
  #to = 0;

  constructor(widthPx: number) {
    this.#min = new Float64Array(widthPx).fill(Number.NaN);
    this.#max = new Float64Array(widthPx).fill(Number.NaN);
    this.#sum = new Float64Array(widthPx);
    this.#weight = new Float64Array(widthPx);
  }

  /** Limits what follows to the columns between these pixels. */
  clip(from: number, to: number): void {
    this.#from = from;
    this.#to = to;
  }

  /** A value, or a range with a mean, that is in force in `[x0, x1)`. NaN is none. */
  add(x0: number, x1: number, low: number, high: number, mean: number): void {
    const from = Math.max(x0, this.#from);
    const to = Math.min(x1, this.#to);
    if (!(from < to) || Number.isNaN(mean)) {
      return;
    }
    for (let x = Math.floor(from); x < to; x++) {
      const overlap = Math.min(to, x + 1) - Math.max(from, x);
      this.#widen(x, low, high);
      this.#sum[x]! += overlap * mean;
      this.#weight[x]! += overlap;
    }
  }

  touch(x: number, low: number, high: number): void {
    if (x >= this.#from && x < this.#to && !Number.isNaN(low)) {
      this.#widen(Math.floor(x), low, high);
    }
  }

  finish(): Omit<CounterColumns, "knownToPx"> {
    const mean = this.#sum.map((sum, x) => {
      const weight = this.#weight[x]!;
      return weight > 0 ? sum / weight : (this.#min[x]! + this.#max[x]!) / 2;
    });
    return { min: this.#min, max: this.#max, mean };
  }

  #widen(x: number, low: number, high: number): void {
    if (!(this.#min[x]! <= low)) {
      this.#min[x] = low;
    }
    if (!(this.#max[x]! >= high)) {
      this.#max[x] = high;
    }
  }
}
