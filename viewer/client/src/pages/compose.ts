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

/** The part of an event that lies in the composed tile. Places inside bins: every one is exact in a double. */
interface Piece {
  readonly name: number;
  readonly bin: number;
  /** Ticks from the bin's start to the piece's. */
  readonly offset: number;
  readonly lastBin: number;
  /** Ticks from the last bin's start to the piece's end. */
  readonly end: number;
  /** 1 where the event starts in the tile. */
  readonly count: number;
  readonly duration: number;
}

/**
 * The tile of a rollup at a level from leaf tiles that hold all events of its children there; null where none is. Events
 * of tracks that are `framing` name only bins in which no other is.
 */
export function composeTile(
  track: number,
  level: number,
  index: number,
  leaves: Iterable<TileData>,
  framing: readonly number[] = [],
): TileData | null {
  const pieces: Piece[] = [];
  for (const leaf of leaves) {
    collect(framing.includes(leaf.track) ? withoutNames(leaf) : leaf, level, index, pieces);
  }
  if (pieces.length === 0) {
    return null;
  }
  // By name, the lowest id first: it wins where two names are equally busy and equally frequent.
  pieces.sort((a, b) => a.name - b.name);
  const sums = new BinSums(binTicks(level));
  for (let first = 0; first < pieces.length; ) {
    let end = first + 1;
    while (end < pieces.length && pieces[end]!.name === pieces[first]!.name) {
      end += 1;
    }
    sums.addName(pieces, first, end);
    first = end;
  }
  return {
    ...{ track, level, index, kind: "terminal", originTicks: tileOrigin(level, index), binTicks: binTicks(level) },
    ...{ slices: NO_SLICES, bins: sums.columns(), counterBins: NO_COUNTER_BINS, samples: NO_SAMPLES },
    carry: Number.NaN,
  };
}

function withoutNames(leaf: TileData): TileData {
  return { ...leaf, slices: { ...leaf.slices, name: new Uint32Array(leaf.slices.length).fill(NO_NAME) } };
}

/** Cuts a leaf's events to the leaf and to the tile: an event that lies in several leaves is in each of them. */
function collect(leaf: TileData, level: number, index: number, out: Piece[]): void {
  const origin = tileOrigin(level, index);
  const width = BINS_PER_TILE * binTicks(level);
  const { name, flags } = leaf.slices;
  if (leaf.slices.wide !== null || width > Number.MAX_SAFE_INTEGER) {
    collectWide(leaf, level, index, out);
    return;
  }
  const low = Math.max(0, Number(leaf.originTicks - origin));
  const high = Math.min(width, Number(tileEnd(leaf.level, leaf.index) - origin));
  const { start, end, shift } = placeSlices(leaf, origin);
  for (let k = 0; k < leaf.slices.length; k++) {
    const begin = start[k]! + shift;
    const stop = end[k]! + shift;
    const isCounted = (flags[k]! & SLICE_CONTINUES) === 0 && begin >= low && begin < high;
    const from = Math.max(begin, low);
    const to = Math.max(from, Math.min(stop, high));
    if (isCounted || to > from) {
      const bin = Math.floor(from / binTicks(level));
      const lastBin = to > from ? Math.ceil(to / binTicks(level)) - 1 : bin;
      const [offset, rest] = [from - bin * binTicks(level), to - lastBin * binTicks(level)];
      out.push({ name: name[k]!, bin, offset, lastBin, end: rest, count: isCounted ? 1 : 0, duration: stop - begin });
    }
  }
}

/** The same where ticks after the tile's origin are beyond doubles: in runs of hours, at levels of few bins. */
function collectWide(leaf: TileData, level: number, index: number, out: Piece[]): void {
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
      const [offset, rest] = [Number(from - (bin << shift)), Number(to - (lastBin << shift))];
      const bins = { bin: Number(bin), offset, lastBin: Number(lastBin), end: rest };
      out.push({ name: name[k]!, ...bins, count: isCounted ? 1 : 0, duration: Number(duration) });
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

  /** Adds the pieces `[first, end)`, all of one name. */
  addName(pieces: readonly Piece[], first: number, end: number): void {
    let low = BINS_PER_TILE;
    let high = -1;
    for (let k = first; k < end; k++) {
      const piece = pieces[k]!;
      this.#ownCount[piece.bin]! += piece.count;
      for (let bin = piece.bin; bin <= piece.lastBin; bin++) {
        const stop = bin === piece.lastBin ? piece.end : this.#binTicks;
        this.#ownBusy[bin]! += stop - (bin === piece.bin ? piece.offset : 0);
        this.#longest[bin] = Math.max(this.#longest[bin]!, piece.duration);
      }
      low = Math.min(low, piece.bin);
      high = Math.max(high, piece.lastBin);
    }
    for (let bin = low; bin <= high; bin++) {
      this.#close(bin, pieces[first]!.name);
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
