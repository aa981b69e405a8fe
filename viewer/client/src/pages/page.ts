/**
 * Decoder of a page: from the bytes of a column container to tiles.
 *
 * Everything that the renderer relies on is checked here once, so that it can index without checks: lengths add up,
 * bins are below 256, tiles are in order and on the page's level.
 */

import { FLOATS, INTS } from "./columns";
import { Container } from "./container";
import { FormatError } from "./error";
import { binTicks, MAX_LEVEL, type PageKey, TRACKS_PER_BLOCK, tileOrigin } from "./key";
import {
  type BinColumns,
  type CounterBinColumns,
  columnBytes,
  NO_NAME,
  type SampleColumns,
  type SliceColumns,
  TILE_BYTES,
  type TileData,
  type TileKind,
} from "./tile";

const TILE_LEAF = 1;
const TILE_TERMINAL = 2;

/** A page with its tiles. */
export interface DecodedPage {
  readonly key: PageKey;
  /** The block that its head names: of a run of shards the block of the shard, which the run numbers anew. */
  readonly ownBlock: number;
  readonly tiles: readonly TileData[];
  /** Memory that the columns take, for the cache's budget. */
  readonly sizeBytes: number;
}

/** Columns of a whole page, and the slices of them that belong to one tile. */
interface PageColumns<T> {
  readonly all: T;
  part(from: number, to: number): T;
}

/** Decoding in steps: it may be interrupted after each column. */
type Steps<T> = Generator<void, T, void>;

/** Decodes an inflated page. Throws FormatError when the bytes are no page, or not the page of `key`. */
export function decodePage(bytes: Uint8Array, key: PageKey): DecodedPage {
  const steps = pageSteps(bytes, key);
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value;
}

/** The same a column at a time. */
export function* pageSteps(bytes: Uint8Array, key: PageKey): Steps<DecodedPage> {
  const container = new Container(bytes);
  const { tileCount, level, block: ownBlock } = container;
  if (container.kind !== "page" || tileCount === 0) {
    throw new FormatError("not a page");
  }
  // A run numbers the blocks of its shards one after the other: never lower than the shard itself.
  if (level !== key.level || ownBlock > key.block || level > MAX_LEVEL) {
    throw new FormatError(`page of block ${ownBlock}, level ${level}; expected block ${key.block}, level ${key.level}`);
  }
  const index = container.ints(INTS.index, tileCount).toFloat64();
  const slot = container.ints(INTS.slot, tileCount).toUint8("slot", TRACKS_PER_BLOCK - 1);
  const flags = container.ints(INTS.tileFlags, tileCount).toUint8("tile flags");
  checkOrder(index, slot, key);

  const sliceEnds = ends(container, INTS.nSlices, tileCount);
  const binEnds = ends(container, INTS.nBins, tileCount);
  const counterBinEnds = ends(container, INTS.nCounterBins, tileCount);
  const sampleEnds = ends(container, INTS.nSamples, tileCount);
  const carry = container.has(FLOATS.carry) ? container.floats(FLOATS.carry, tileCount).values : null;

  const origins = Array.from(index, (value) => tileOrigin(level, value));
  const slices = yield* sliceColumns(container, sliceEnds, origins);
  const bins = yield* binColumns(container, binEnds[tileCount - 1]!);
  const counterBins = yield* counterBinColumns(container, counterBinEnds[tileCount - 1]!);
  const samples = yield* sampleColumns(container, sampleEnds, origins);

  const tiles: TileData[] = [];
  for (let t = 0; t < tileCount; t++) {
    tiles.push({
      track: key.block * TRACKS_PER_BLOCK + slot[t]!,
      level,
      index: index[t]!,
      kind: tileKind(flags[t]!),
      originTicks: origins[t]!,
      binTicks: binTicks(level),
      slices: slices.part(t === 0 ? 0 : sliceEnds[t - 1]!, sliceEnds[t]!),
      bins: bins.part(t === 0 ? 0 : binEnds[t - 1]!, binEnds[t]!),
      counterBins: counterBins.part(t === 0 ? 0 : counterBinEnds[t - 1]!, counterBinEnds[t]!),
      samples: samples.part(t === 0 ? 0 : sampleEnds[t - 1]!, sampleEnds[t]!),
      carry: carry === null ? Number.NaN : carry[t]!,
    });
  }
  const sizeBytes = [slices, bins, counterBins, samples].reduce((sum, { all }) => sum + columnBytes(all), 0);
  return { key, ownBlock, tiles, sizeBytes: sizeBytes + TILE_BYTES * tileCount };
}

/** Kind of a tile, by its flags. */
export function tileKind(flags: number): TileKind {
  if ((flags & TILE_LEAF) !== 0) {
    return "leaf";
  }
  return (flags & TILE_TERMINAL) !== 0 ? "terminal" : "interior";
}

function checkOrder(index: Float64Array, slot: Uint8Array, key: PageKey): void {
  if (index[0] !== key.index || slot[0] !== key.slot) {
    throw new FormatError(`page starts at tile ${index[0]}, slot ${slot[0]}; expected ${key.index}, ${key.slot}`);
  }
  for (let t = 0; t < index.length; t++) {
    const inOrder = t === 0 || index[t]! > index[t - 1]! || (index[t] === index[t - 1] && slot[t]! > slot[t - 1]!);
    if (!inOrder || !(index[t]! >= 0 && index[t]! <= Number.MAX_SAFE_INTEGER)) {
      throw new FormatError(`tile ${t} of the page (index ${index[t]}, slot ${slot[t]}) is out of order`);
    }
  }
}

/** End of each tile's values in the columns that `id` counts. */
function ends(container: Container, id: number, tileCount: number): Uint32Array {
  const out = new Uint32Array(tileCount);
  if (container.has(id)) {
    const counts = container.ints(id, tileCount).toUint32("count", 1 << 24);
    let sum = 0;
    for (let t = 0; t < tileCount; t++) {
      sum += counts[t]!;
      out[t] = sum;
    }
    if (sum > 1 << 24) {
      throw new FormatError(`${sum} values in one page`);
    }
  }
  return out;
}

type Origins = readonly bigint[];

function* sliceColumns(
  container: Container,
  tileEnds: Uint32Array,
  origins: Origins,
): Steps<PageColumns<SliceColumns>> {
  const length = tileEnds[tileEnds.length - 1]!;
  const starts = container.ints(INTS.start, length);
  yield;
  const durations = container.ints(INTS.duration, length);
  const startOffset = new Float64Array(length);
  const endOffset = durations.toFloat64();
  let exact = true;
  origins.forEach((origin, t) => {
    exact = starts.subtract(origin, t === 0 ? 0 : tileEnds[t - 1]!, tileEnds[t]!, startOffset) && exact;
  });
  for (let k = 0; k < length; k++) {
    if (!(endOffset[k]! >= 0)) {
      throw new FormatError(`slice ${k} has duration ${durations.values[k]}`);
    }
    endOffset[k]! += startOffset[k]!;
    exact = exact && endOffset[k]! <= Number.MAX_SAFE_INTEGER;
  }
  yield;
  const row = container.ints(INTS.row, length).toUint32("row");
  yield;
  const name = container.ints(INTS.name, length).toUint32("name");
  yield;
  const ordinal = container.ints(INTS.ordinal, length).toFloat64();
  yield;
  const all: SliceColumns = {
    ...{ length, startOffset, endOffset, row, name, ordinal },
    flags: container.ints(INTS.sliceFlags, length).toUint8("slice flags"),
    wide: exact ? null : { start: starts.values, duration: durations.values },
  };
  const part = (from: number, to: number): SliceColumns => ({
    length: to - from,
    startOffset: all.startOffset.subarray(from, to),
    endOffset: all.endOffset.subarray(from, to),
    row: all.row.subarray(from, to),
    name: all.name.subarray(from, to),
    ordinal: all.ordinal.subarray(from, to),
    flags: all.flags.subarray(from, to),
    wide:
      all.wide === null
        ? null
        : { start: all.wide.start.subarray(from, to), duration: all.wide.duration.subarray(from, to) },
  });
  return parts(all, part);
}

function* binColumns(container: Container, length: number): Steps<PageColumns<BinColumns>> {
  const busy = container.ints(INTS.busy, length).toFloat64();
  for (let k = 0; k < length; k++) {
    if (!(busy[k]! >= 0)) {
      throw new FormatError(`bin ${k} has busy ${busy[k]}`);
    }
  }
  yield;
  const bin = container.ints(INTS.bin, length).toUint8("bin");
  const row = container.ints(INTS.binRow, length).toUint32("row");
  yield;
  const count = container.ints(INTS.count, length).toFloat64();
  yield;
  const all: BinColumns = {
    ...{ length, bin, row, count, busy },
    name: container.ints(INTS.binName, length).toNames("name", NO_NAME),
    share: container.ints(INTS.share, length).toUint8("share"),
    exact: null,
  };
  const part = (from: number, to: number): BinColumns => ({
    length: to - from,
    bin: all.bin.subarray(from, to),
    row: all.row.subarray(from, to),
    count: all.count.subarray(from, to),
    busy: all.busy.subarray(from, to),
    name: all.name.subarray(from, to),
    share: all.share.subarray(from, to),
    exact: null,
  });
  return parts(all, part);
}

function* counterBinColumns(container: Container, length: number): Steps<PageColumns<CounterBinColumns>> {
  yield;
  const all: CounterBinColumns = {
    length,
    bin: container.ints(INTS.counterBin, length).toUint8("counter bin"),
    n: container.ints(INTS.n, length).toFloat64(),
    first: container.floats(FLOATS.first, length).values,
    last: container.floats(FLOATS.last, length).values,
    min: container.floats(FLOATS.min, length).values,
    max: container.floats(FLOATS.max, length).values,
    mean: container.floats(FLOATS.mean, length).values,
  };
  const part = (from: number, to: number): CounterBinColumns => ({
    length: to - from,
    bin: all.bin.subarray(from, to),
    n: all.n.subarray(from, to),
    first: all.first.subarray(from, to),
    last: all.last.subarray(from, to),
    min: all.min.subarray(from, to),
    max: all.max.subarray(from, to),
    mean: all.mean.subarray(from, to),
  });
  return parts(all, part);
}

function* sampleColumns(
  container: Container,
  tileEnds: Uint32Array,
  origins: Origins,
): Steps<PageColumns<SampleColumns>> {
  const length = tileEnds[tileEnds.length - 1]!;
  const times = container.ints(INTS.time, length);
  const timeOffset = new Float64Array(length);
  let exact = true;
  origins.forEach((origin, t) => {
    exact = times.subtract(origin, t === 0 ? 0 : tileEnds[t - 1]!, tileEnds[t]!, timeOffset) && exact;
  });
  yield;
  const all: SampleColumns = {
    length,
    timeOffset,
    value: container.floats(FLOATS.value, length).values,
    ordinal: container.ints(INTS.sampleOrdinal, length).toFloat64(),
    wide: exact ? null : times.values,
  };
  const part = (from: number, to: number): SampleColumns => ({
    length: to - from,
    timeOffset: all.timeOffset.subarray(from, to),
    value: all.value.subarray(from, to),
    ordinal: all.ordinal.subarray(from, to),
    wide: all.wide === null ? null : all.wide.subarray(from, to),
  });
  return parts(all, part);
}

/** Tiles without values of a kind share one empty part. */
function parts<T>(all: T, part: (from: number, to: number) => T): PageColumns<T> {
  const empty = part(0, 0);
  return { all, part: (from, to) => (from === to ? empty : part(from, to)) };
}
