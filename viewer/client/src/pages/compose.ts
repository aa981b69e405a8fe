/**
 * A tile of a rollup made from the leaf tiles of the tracks that it sums, for zoom levels below the rollup's own tiles.
 *
 * Leaves hold their events exactly, so the bins are as exact as stored ones: count, busy time, dominant name with its
 * share, longest event. Adding up the composed tiles of a terminal tile gives that tile's bins again.
 */

import { BINS_PER_TILE, binTicks, tileOrigin } from "./key";
import {
  type BinColumns,
  NO_NAME,
  placeSlices,
  SLICE_CONTINUES,
  sliceDuration,
  sliceStart,
  type TileData,
  tileEnd,
} from "./tile";

/**
 * The parts of events that lie in the composed tile, in columns that are kept from tile to tile: one object for each of tens of thousands
 * of pieces would take longer than the sums.
 */
class Pieces {
  length = 0;
  readonly name: Uint32Array;
  /** First bin and last bin of each piece, and 1 where the event starts in the tile. */
  readonly places: Uint8Array;
  /**
   * Ticks from the start of the first bin to the start of the piece, from the start of the last bin to the end of the piece, and the
   * duration of the event. Inside bins every number is exact in a double.
   */
  readonly times: Float64Array;

  constructor(room: number) {
    this.name = new Uint32Array(room);
    this.places = new Uint8Array(3 * room);
    this.times = new Float64Array(3 * room);
  }

  add(name: number, bin: number, lastBin: number, count: number, offset: number, end: number, duration: number): void {
    const k = 3 * this.length;
    this.name[this.length++] = name;
    this.places[k] = bin;
    this.places[k + 1] = lastBin;
    this.places[k + 2] = count;
    this.times[k] = offset;
    this.times[k + 1] = end;
    this.times[k + 2] = duration;
  }

  /** Positions of the pieces of each name, the lowest id first: it wins where two names are equally busy and equally frequent. */
  *byName(): Iterable<readonly [name: number, positions: Uint32Array]> {
    const counts = new Map<number, number>();
    for (let k = 0; k < this.length; k++) {
      counts.set(this.name[k]!, (counts.get(this.name[k]!) ?? 0) + 1);
    }
    const ends = new Map<number, number>();
    let end = 0;
    for (const [name, count] of [...counts].sort(([a], [b]) => a - b)) {
      ends.set(name, end);
      end += count;
    }
    const positions = new Uint32Array(end);
    for (let k = 0; k < end; k++) {
      const place = ends.get(this.name[k]!)!;
      positions[place] = k;
      ends.set(this.name[k]!, place + 1);
    }
    for (const [name, end] of ends) {
      yield [name, positions.subarray(end - counts.get(name)!, end)];
    }
  }
}

/** Columns with room for so many pieces, 8 MB, are kept; larger ones are let go after their tile. */
const KEPT_PIECES = 1 << 18;

let kept = new Pieces(0);

/** Empty columns with room for so many pieces. */
function piecesFor(most: number): Pieces {
  if (most > KEPT_PIECES) {
    return new Pieces(most);
  }
  if (most > kept.name.length) {
    kept = new Pieces(Math.min(2 * most, KEPT_PIECES));
  }
  kept.length = 0;
  return kept;
}

/**
 * The tile of a rollup at a level from leaf tiles that hold all events of its children there; null where none is. Events
 * of tracks that are `framing` name only bins in which no other is.
 */
export function composeTile(
  track: number,
  level: number,
  index: number,
  leaves: readonly TileData[],
  framing: readonly number[] = [],
): TileData | null {
  const pieces = piecesFor(leaves.reduce((sum, leaf) => sum + leaf.slices.length, 0));
  for (const leaf of leaves) {
    const first = pieces.length;
    collect(leaf, level, index, pieces);
    if (framing.includes(leaf.track)) {
      pieces.name.fill(NO_NAME, first, pieces.length);
    }
  }
  if (pieces.length === 0) {
    return null;
  }
  const sums = new BinSums(binTicks(level));
  for (const [name, positions] of pieces.byName()) {
    sums.addName(name, pieces, positions);
  }
  return {
    ...{ track, level, index, kind: "terminal", originTicks: tileOrigin(level, index), binTicks: binTicks(level) },
    ...{ slices: NO_SLICES, bins: sums.columns(), counterBins: NO_COUNTER_BINS, samples: NO_SAMPLES },
    carry: Number.NaN,
  };
}

/** Cuts a leaf's events to the leaf and to the tile: an event that lies in several leaves is in each of them. */
function collect(leaf: TileData, level: number, index: number, pieces: Pieces): void {
  const origin = tileOrigin(level, index);
  const width = BINS_PER_TILE * binTicks(level);
  if (leaf.slices.wide !== null || width > Number.MAX_SAFE_INTEGER) {
    collectWide(leaf, level, index, pieces);
    return;
  }
  const { name, flags, length } = leaf.slices;
  const low = Math.max(0, Number(leaf.originTicks - origin));
  const high = Math.min(width, Number(tileEnd(leaf.level, leaf.index) - origin));
  const { start, end, shift } = placeSlices(leaf, origin);
  const ticks = binTicks(level);
  for (let k = 0; k < length; k++) {
    const begin = start[k]! + shift;
    const stop = end[k]! + shift;
    const isCounted = begin >= low && begin < high && (flags[k]! & SLICE_CONTINUES) === 0;
    const from = begin > low ? begin : low;
    const to = stop < high ? stop : high;
    if (isCounted || to > from) {
      const bin = Math.floor(from / ticks);
      const lastBin = to > from ? Math.ceil(to / ticks) - 1 : bin;
      const rest = (to > from ? to : from) - lastBin * ticks;
      pieces.add(name[k]!, bin, lastBin, isCounted ? 1 : 0, from - bin * ticks, rest, stop - begin);
    }
  }
}

/** The same where ticks after the tile's origin are beyond doubles: in runs of hours, at levels of few bins. */
function collectWide(leaf: TileData, level: number, index: number, pieces: Pieces): void {
  const origin = tileOrigin(level, index);
  const low = leaf.originTicks > origin ? leaf.originTicks : origin;
  const leafEnd = tileEnd(leaf.level, leaf.index);
  const high = leafEnd < tileEnd(level, index) ? leafEnd : tileEnd(level, index);
  const shift = BigInt(2 * level);
  const { name, flags } = leaf.slices;
  for (let k = 0; k < leaf.slices.length; k++) {
    const begin: bigint = sliceStart(leaf, k);
    const duration = sliceDuration(leaf, k);
    const isCounted = (flags[k]! & SLICE_CONTINUES) === 0 && begin >= low && begin < high;
    const from = (begin > low ? begin : low) - origin;
    const stop = (begin + duration < high ? begin + duration : high) - origin;
    const to = stop > from ? stop : from;
    if (isCounted || to > from) {
      const bin = from >> shift;
      const lastBin = to > from ? (to - 1n) >> shift : bin;
      pieces.add(
        name[k]!,
        Number(bin),
        Number(lastBin),
        isCounted ? 1 : 0,
        Number(from - (bin << shift)),
        Number(to - (lastBin << shift)),
        Number(duration),
      );
    }
  }
}

/** Content of each bin, added up name by name. */
class BinSums {
  readonly #count = new Float64Array(BINS_PER_TILE);
  readonly #busy = new Float64Array(BINS_PER_TILE);
  readonly #longest = new Float64Array(BINS_PER_TILE);
  readonly #name = new Uint32Array(BINS_PER_TILE);
  readonly #nameBusy = new Float64Array(BINS_PER_TILE);
  readonly #nameCount = new Float64Array(BINS_PER_TILE);
  readonly #ownBusy = new Float64Array(BINS_PER_TILE);
  readonly #ownCount = new Float64Array(BINS_PER_TILE);
  readonly #binTicks: number;

  constructor(binTicks: number) {
    this.#binTicks = binTicks;
  }

  /** Adds the pieces of a name, at some positions. */
  addName(name: number, { places, times }: Pieces, positions: Uint32Array): void {
    let low = BINS_PER_TILE;
    let high = -1;
    for (const k of positions) {
      const first = places[3 * k]!;
      const last = places[3 * k + 1]!;
      const duration = times[3 * k + 2]!;
      this.#ownCount[first]! += places[3 * k + 2]!;
      for (let bin = first; bin <= last; bin++) {
        this.#ownBusy[bin]! +=
          (bin === last ? times[3 * k + 1]! : this.#binTicks) - (bin === first ? times[3 * k]! : 0);
        if (duration > this.#longest[bin]!) {
          this.#longest[bin] = duration;
        }
      }
      low = first < low ? first : low;
      high = last > high ? last : high;
    }
    for (let bin = low; bin <= high; bin++) {
      this.#close(bin, name);
    }
  }

  columns(): BinColumns {
    const used: number[] = [];
    for (let bin = 0; bin < BINS_PER_TILE; bin++) {
      if (this.#count[bin]! > 0 || this.#busy[bin]! > 0) {
        used.push(bin);
      }
    }
    const exact = (values: Float64Array) => BigInt64Array.from(used, (bin) => BigInt(values[bin]!));
    return {
      length: used.length,
      bin: Uint8Array.from(used),
      row: new Uint32Array(used.length),
      count: Float64Array.from(used, (bin) => this.#count[bin]!),
      busy: Float64Array.from(used, (bin) => this.#busy[bin]!),
      name: Uint32Array.from(used, (bin) => this.#name[bin]!),
      share: Uint8Array.from(used, (bin) => this.#share(bin)),
      exact: { busy: exact(this.#busy), longest: exact(this.#longest) },
    };
  }

  /** Moves a name's own sums into the bin's. */
  #close(bin: number, name: number): void {
    const busy = this.#ownBusy[bin]!;
    const count = this.#ownCount[bin]!;
    this.#ownBusy[bin] = 0;
    this.#ownCount[bin] = 0;
    this.#busy[bin]! += busy;
    this.#count[bin]! += count;
    if (name === NO_NAME && (this.#nameBusy[bin]! > 0 || this.#nameCount[bin]! > 0)) {
      return; // names come in their order, and this is the last
    }
    if (busy > this.#nameBusy[bin]! || (busy === this.#nameBusy[bin] && count > this.#nameCount[bin]!)) {
      this.#name[bin] = name;
      this.#nameBusy[bin] = busy;
      this.#nameCount[bin] = count;
    }
  }

  #share(bin: number): number {
    const busy = this.#busy[bin]!;
    return Math.floor(
      busy > 0 ? (255 * this.#nameBusy[bin]!) / busy : (255 * this.#nameCount[bin]!) / this.#count[bin]!,
    );
  }
}

const NO_FLOATS = new Float64Array(0);
const NO_IDS = new Uint32Array(0);
const NO_BYTES = new Uint8Array(0);
/** Columns without values. */
export const NO_SLICES: TileData["slices"] = {
  ...{ length: 0, startOffset: NO_FLOATS, endOffset: NO_FLOATS, row: NO_IDS, name: NO_IDS, ordinal: NO_FLOATS },
  ...{ flags: NO_BYTES, wide: null },
};
export const NO_COUNTER_BINS: TileData["counterBins"] = {
  ...{ length: 0, bin: NO_BYTES, n: NO_FLOATS, first: NO_FLOATS, last: NO_FLOATS },
  ...{ min: NO_FLOATS, max: NO_FLOATS, mean: NO_FLOATS },
};
export const NO_SAMPLES: TileData["samples"] = {
  ...{ length: 0, timeOffset: NO_FLOATS, value: NO_FLOATS, ordinal: NO_FLOATS, wide: null },
};
