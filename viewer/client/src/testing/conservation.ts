/**
 * The promise of conservation, checked by a client: from pages and shape records alone, in exact integers.
 *
 * For every tile: its events are those that its record announces; an interior tile has the events, and per row the busy
 * ticks, of its children together; a bin is not busier than it is wide; what is drawn of it is rounded by no more than
 * docs/page-format.md allows. Counters: samples, extremes and last value.
 */

import { binTicks, blockOf, type PageKey, type PageName, pageName, slotOf } from "../pages/key";
import { type DecodedPage, decodePage } from "../pages/page";
import { withResidual } from "../pages/residual";
import { NO_TILE, type ShapeIndex } from "../pages/shape";
import { SLICE_CONTINUES, sliceDuration, sliceStart, type TileData, tileEnd } from "../pages/tile";

export interface TrackTotals {
  readonly events: bigint;
  readonly busyTicks: bigint;
}

export interface Findings {
  readonly tiles: number;
  readonly pages: number;
  /** Faults with track, level and tile; empty when the promise is kept. */
  readonly errors: readonly string[];
  /** By track, from its root tile. */
  readonly totals: ReadonlyMap<number, TrackTotals>;
}

type Load = (key: PageKey) => Promise<Uint8Array> | Uint8Array;

/** Source of pages and residuals, inflated; residuals of pages with bins alone. */
export interface PageSource {
  readonly page: Load;
  readonly residual: Load;
}

/** A page with exact bins. */
export async function loadExact(source: PageSource, key: PageKey): Promise<DecodedPage> {
  const page = decodePage(await source.page(key), key);
  const hasBins = page.tiles.some(({ bins }) => bins.length > 0);
  return hasBins ? withResidual(page, await source.residual(key)) : page;
}

/** Checks all tiles of a block. `isRollup` tells tracks whose bins sum over several rows. */
export async function checkBlock(
  shape: ShapeIndex,
  source: PageSource,
  isRollup: (track: number) => boolean,
): Promise<Findings> {
  const errors: string[] = [];
  const tiles = new Map<string, TileData>();
  const pages = new Set<PageName>();
  for (let position = 0; position < shape.length; position++) {
    const key = shape.pageAt(position);
    if (!pages.has(pageName(key))) {
      pages.add(pageName(key));
      for (const tile of (await loadExact(source, key)).tiles) {
        tiles.set(nameOf(tile), tile);
      }
    }
  }
  if (tiles.size !== shape.length) {
    errors.push(`block ${shape.block}: ${tiles.size} tiles in pages, ${shape.length} in the shape record`);
  }
  const totals = new Map<number, TrackTotals>();
  for (const tile of tiles.values()) {
    const position = shape.find(slotOf(tile.track), tile.level, tile.index);
    if (position === NO_TILE || shape.kindAt(position) !== tile.kind) {
      errors.push(`${nameOf(tile)}: not in the shape record as ${tile.kind}`);
      continue;
    }
    const report = (message: string): void => {
      errors.push(`${nameOf(tile)}: ${message}`);
    };
    checkCount(tile, shape.eventsAt(position), report);
    checkBins(tile, isRollup(tile.track), report);
    if (tile.kind === "interior") {
      checkChildren(tile, childrenOf(tile, tiles), report);
    }
    if (shape.levels(slotOf(tile.track))[0] === tile.level) {
      totals.set(tile.track, { events: BigInt(shape.eventsAt(position)), busyTicks: sum(busyByRow(tile).values()) });
    }
  }
  return { tiles: tiles.size, pages: pages.size, errors, totals };
}

type Report = (message: string) => void;

function checkCount(tile: TileData, announced: number, report: Report): void {
  const events = eventsOf(tile);
  if (events !== announced) {
    report(`${events} events, ${announced} announced`);
  }
}

function checkBins(tile: TileData, isRollup: boolean, report: Report): void {
  const { bins } = tile;
  const busy = exactBusy(tile);
  const width = BigInt(binTicks(tile.level));
  let off = 0n;
  for (let k = 0; k < bins.length; k++) {
    if (!isRollup && busy[k]! > width) {
      report(`bin ${bins.bin[k]} of row ${bins.row[k]} is busy for ${busy[k]} ticks, more than its width`);
    }
    if (k > 0 && !inOrder(tile, k)) {
      report(`bin ${k} is out of order`);
    }
    off = (bins.row[k] === bins.row[k - 1] ? off : 0n) + BigInt(bins.busy[k]!) - busy[k]!;
    if ((off < 0n ? -off : off) * MAX_ROUNDING > width) {
      report(`up to bin ${bins.bin[k]} of row ${bins.row[k]} is drawn as busy for ${off} ticks more than it is`);
    }
  }
}

/** Sums of drawn busy times are off by at most this part of a bin: half a 256th. */
const MAX_ROUNDING = 512n;

const NO_TICKS = new BigInt64Array(0);

function exactBusy({ bins }: TileData): BigInt64Array {
  return bins.exact?.busy ?? NO_TICKS;
}

function inOrder({ bins }: TileData, k: number): boolean {
  return bins.row[k]! > bins.row[k - 1]! || (bins.row[k] === bins.row[k - 1] && bins.bin[k]! > bins.bin[k - 1]!);
}

function checkChildren(tile: TileData, children: readonly TileData[], report: Report): void {
  const events = children.reduce((total, child) => total + eventsOf(child), 0);
  if (events !== eventsOf(tile)) {
    report(`${eventsOf(tile)} events, ${events} in its children`);
  }
  const busy = new Map<number, bigint>();
  for (const child of children) {
    for (const [row, value] of busyByRow(child)) {
      busy.set(row, (busy.get(row) ?? 0n) + value);
    }
  }
  const own = busyByRow(tile);
  for (const row of new Set([...own.keys(), ...busy.keys()])) {
    if ((own.get(row) ?? 0n) !== (busy.get(row) ?? 0n)) {
      report(`row ${row} is busy for ${own.get(row) ?? 0n} ticks, its children for ${busy.get(row) ?? 0n}`);
    }
  }
  if (tile.counterBins.length > 0) {
    checkCounter(tile, children, report);
  }
}

function checkCounter(tile: TileData, children: readonly TileData[], report: Report): void {
  const facts = (parts: readonly TileData[]): string => {
    const low = parts.flatMap(({ counterBins, samples }) => [...counterBins.min, ...samples.value]);
    const high = parts.flatMap(({ counterBins, samples }) => [...counterBins.max, ...samples.value]);
    const last = parts.flatMap(({ counterBins, samples }) => [...counterBins.last, ...samples.value]);
    return `min ${Math.min(...finite(low))}, max ${Math.max(...finite(high))}, last ${last[last.length - 1]}`;
  };
  const [own, below] = [facts([tile]), facts([...children].sort((a, b) => a.index - b.index))];
  if (own !== below) {
    report(`${own}; its children ${below}`);
  }
}

function finite(values: readonly number[]): number[] {
  return values.filter((value) => !Number.isNaN(value));
}

/** Events that start in the tile. */
function eventsOf({ slices, bins, counterBins, samples }: TileData): number {
  const started = slices.flags.reduce((total, flags) => total + ((flags & SLICE_CONTINUES) === 0 ? 1 : 0), 0);
  const binned = bins.count.reduce((total, count) => total + count, 0);
  return started + binned + counterBins.n.reduce((total, n) => total + n, 0) + samples.length;
}

/** Busy ticks within the tile, by row. */
function busyByRow(tile: TileData): Map<number, bigint> {
  const out = new Map<number, bigint>();
  const end = tileEnd(tile.level, tile.index);
  const add = (row: number, busy: bigint): void => {
    out.set(row, (out.get(row) ?? 0n) + busy);
  };
  for (let k = 0; k < tile.slices.length; k++) {
    const start = sliceStart(tile, k);
    const stop = start + sliceDuration(tile, k);
    const before = start < tile.originTicks ? tile.originTicks - start : 0n;
    const after = stop > end ? stop - end : 0n;
    add(tile.slices.row[k]!, stop - start - before - after);
  }
  const busy = exactBusy(tile);
  for (let k = 0; k < tile.bins.length; k++) {
    add(tile.bins.row[k]!, busy[k]!);
  }
  return out;
}

function childrenOf(tile: TileData, tiles: ReadonlyMap<string, TileData>): TileData[] {
  return [0, 1, 2, 3].flatMap((k) => {
    const child = tiles.get(nameOf({ track: tile.track, level: tile.level - 1, index: 4 * tile.index + k }));
    return child === undefined ? [] : [child];
  });
}

function nameOf({ track, level, index }: Pick<TileData, "track" | "level" | "index">): string {
  return `block ${blockOf(track)}, track ${track}, level ${level}, tile ${index}`;
}

function sum(values: Iterable<bigint>): bigint {
  let total = 0n;
  for (const value of values) {
    total += value;
  }
  return total;
}
