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
 * of pieces would take longer than the sums. Places inside bins: every one is exact in a double.
 */
class Pieces {
  length = 0;
  name = new Uint32Array(0);
  /** First and last bin. */
  bin = new Uint8Array(0);
  lastBin = new Uint8Array(0);
  /** Ticks from the first bin's start to the piece's. */
  offset = new Float64Array(0);
  /** Ticks from the last bin's start to the piece's end. */
  end = new Float64Array(0);
  duration = new Float64Array(0);
  /** 1 where the event starts in the tile. */
  count = new Uint8Array(0);

  /** Has room for so many more. */
  reserve(more: number): void {
    const room = this.length + more;
    if (room > this.name.length) {
      const size = 2 * room;
      this.name = grown(this.name, new Uint32Array(size));
      this.bin = grown(this.bin, new Uint8Array(size));
      this.lastBin = grown(this.lastBin, new Uint8Array(size));
      this.offset = grown(this.offset, new Float64Array(size));
      this.end = grown(this.end, new Float64Array(size));
      this.duration = grown(this.duration, new Float64Array(size));
      this.count = grown(this.count, new Uint8Array(size));
    }
  }

  /** Positions of the pieces by name, the lowest id first: it wins where two names are equally busy and equally frequent. */
  byName(): Uint32Array {
    const counts = new Map<number, number>();
    for (let k = 0; k < this.length; k++) {
      counts.set(this.name[k]!, (counts.get(this.name[k]!) ?? 0) + 1);
    }
    let first = 0;
    for (const name of Uint32Array.from(counts.keys()).sort()) {
      const count = counts.get(name)!;
      counts.set(name, first);
      first += count;
    }
    const out = new Uint32Array(this.length);
    for (let k = 0; k < this.length; k++) {
      const place = counts.get(this.name[k]!)!;
      out[place] = k;
      counts.set(this.name[k]!, place + 1);
    }
    return out;
  }
}

function grown<Column extends { set(from: Column): void }>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}

/** Those of the tile that is being composed. */
const pieces = new Pieces();

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
  pieces.length = 0;
  for (const leaf of leaves) {
    collect(leaf, level, index, framing.includes(leaf.track));
  }
  if (pieces.length === 0) {
    return null;
  }
  const order = pieces.byName();
  const sums = new BinSums(binTicks(level));
  for (let first = 0; first < order.length; ) {
    const name = pieces.name[order[first]!]!;
    let end = first + 1;
    while (end < order.length && pieces.name[order[end]!] === name) {
      end += 1;
    }
    sums.addName(name, order.subarray(first, end));
    first = end;
  }
  return {
    ...{ track, level, index, kind: "terminal", originTicks: tileOrigin(level, index), binTicks: binTicks(level) },
    ...{ slices: NO_SLICES, bins: sums.columns(), counterBins: NO_COUNTER_BINS, samples: NO_SAMPLES },
    carry: Number.NaN,
  };
}

/** Cuts a leaf's events to the leaf and to the tile: an event that lies in several leaves is in each of them. */
function collect(leaf: TileData, level: number, index: number, isFraming: boolean): void {
  const origin = tileOrigin(level, index);
  const width = BINS_PER_TILE * binTicks(level);
  pieces.reserve(leaf.slices.length);
  if (leaf.slices.wide !== null || width > Number.MAX_SAFE_INTEGER) {
    collectWide(leaf, level, index, isFraming);
    return;
  }
  const { name, flags, length } = leaf.slices;
  const low = Math.max(0, Number(leaf.originTicks - origin));
  const high = Math.min(width, Number(tileEnd(leaf.level, leaf.index) - origin));
  const { start, end, shift } = placeSlices(leaf, origin);
  const ticks = binTicks(level);
  const perTick = 1 / ticks; // a power of two: products are exact
  let next = pieces.length;
  for (let k = 0; k < length; k++) {
    const begin = start[k]! + shift;
    if (begin >= high) {
      continue;
    }
    const stop = end[k]! + shift;
    const isCounted = begin >= low && (flags[k]! & SLICE_CONTINUES) === 0;
    const from = begin > low ? begin : low;
    const to = stop < high ? stop : high;
    if (isCounted || to > from) {
      const bin = Math.floor(from * perTick);
      const lastBin = to > from ? Math.ceil(to * perTick) - 1 : bin;
      pieces.name[next] = isFraming ? NO_NAME : name[k]!;
      pieces.bin[next] = bin;
      pieces.lastBin[next] = lastBin;
      pieces.offset[next] = from - bin * ticks;
      pieces.end[next] = (to > from ? to : from) - lastBin * ticks;
      pieces.count[next] = isCounted ? 1 : 0;
      pieces.duration[next] = stop - begin;
      next += 1;
    }
  }
  pieces.length = next;
}

/** The same where ticks after the tile's origin are beyond doubles: in runs of hours, at levels of few bins. */
function collectWide(leaf: TileData, level: number, index: number, isFraming: boolean): void {
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
      const next = pieces.length;
      pieces.name[next] = isFraming ? NO_NAME : name[k]!;
      pieces.bin[next] = Number(bin);
      pieces.lastBin[next] = Number(lastBin);
      pieces.offset[next] = Number(from - (bin << shift));
      pieces.end[next] = Number(to - (lastBin << shift));
      pieces.count[next] = isCounted ? 1 : 0;
      pieces.duration[next] = Number(duration);
      pieces.length += 1;
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
  addName(name: number, positions: Uint32Array): void {
    const { bin: bins, lastBin: lastBins, offset, end, count, duration } = pieces;
    let low = BINS_PER_TILE;
    let high = -1;
    for (const k of positions) {
      const bin = bins[k]!;
      const lastBin = lastBins[k]!;
      this.#ownCount[bin]! += count[k]!;
      for (let covered = bin; covered <= lastBin; covered++) {
        const stop = covered === lastBin ? end[k]! : this.#binTicks;
        this.#ownBusy[covered]! += stop - (covered === bin ? offset[k]! : 0);
        if (duration[k]! > this.#longest[covered]!) {
          this.#longest[covered] = duration[k]!;
        }
      }
      low = bin < low ? bin : low;
      high = lastBin > high ? lastBin : high;
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
