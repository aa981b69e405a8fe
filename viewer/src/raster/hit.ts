/** Content under the pointer, with all that is known about it without asking the server. */

import {
  type BinColumns,
  binStart,
  type DrawTile,
  placeSlices,
  plus,
  sampleTime,
  sliceDuration,
  sliceStart,
  type Ticks,
  type TileData,
  type TileName,
  tickAtX,
  ticks,
  type View,
  xOfTick,
} from "@tilescope/client";
import { type CounterEnds, counterPlace } from "./counter-ends";

export interface SliceHit {
  readonly kind: "slice";
  readonly track: number;
  readonly ordinal: number;
  readonly row: number;
  readonly nameId: number;
  readonly startTicks: Ticks;
  readonly durationTicks: Ticks;
  /** To be told by `sliceFlags`. */
  readonly flags: number;
}

/** A bin of a tile: the summary of all short slices of a row in `[startTicks, endTicks)`. */
export interface BinHit extends TileName {
  readonly kind: "bin";
  readonly row: number;
  /** Number of the bin in its tile. */
  readonly place: number;
  readonly startTicks: Ticks;
  readonly endTicks: Ticks;
  /** Events that start in the bin. */
  readonly count: number;
  /** Busy share as it is drawn, 0 to 1 in tracks of one row. */
  readonly density: number;
  /** Null until the residual of its page is there. */
  readonly exact: ExactSums | null;
  /** The name with the most busy time, and its part of it, 0 to 1. */
  readonly nameId: number;
  readonly share: number;
}

export interface ExactSums {
  readonly busyTicks: Ticks;
  /** Duration of the longest slice that touches the bin. */
  readonly longestTicks: Ticks;
}

/** A counter's value in force: since the sample at `startTicks`, or since before the tile where `ordinal` is null. */
export interface SampleHit {
  readonly kind: "sample";
  readonly track: number;
  readonly ordinal: number | null;
  readonly startTicks: Ticks;
  readonly value: number;
  /** Time since then, if it is the last sample of all: the value is unknown from there on. Null before that. */
  readonly agoTicks: Ticks | null;
}

/** A counter's bin: `n` samples; the last value is in force after it. */
export interface CounterBinHit {
  readonly kind: "counterBin";
  readonly track: number;
  readonly startTicks: Ticks;
  readonly endTicks: Ticks;
  readonly n: number;
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

export type Hit = SliceHit | BinHit | SampleHit | CounterBinHit;

/** Distance from the pointer at which a narrower slice is still hit. */
export const HIT_TOLERANCE_PX = 3;

/**
 * The slice or bin of a row at `xPx`: the slice that is there, else the bin, else the nearest slice or bin within the
 * tolerance. Where several slices share the pixel, the one that is nearest to the pointer, then the longest.
 */
export function hitTest(
  draws: readonly DrawTile[],
  view: View,
  xPx: number,
  row: number,
  tolerancePx = HIT_TOLERANCE_PX,
): SliceHit | BinHit | null {
  let best: SliceHit | BinHit | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const draw of draws) {
    const from = xOfTick(view, draw.clipStart);
    const to = xOfTick(view, draw.clipEnd);
    if (xPx < from - tolerancePx || xPx >= to + tolerancePx) {
      continue;
    }
    const near = nearestSlice(draw.tile, view, xPx, row);
    if (near !== null && near.distance <= tolerancePx && near.distance < bestDistance) {
      best = sliceHit(draw.tile, near.k);
      bestDistance = near.distance;
    }
    // Something under the pointer goes before something beside it.
    const bin = nearestBin(draw.tile, view, xPx, row);
    if (bin !== null && bin.distance < bestDistance && bin.distance <= tolerancePx) {
      best = binHit(draw.tile, bin.k);
      bestDistance = bin.distance;
    }
  }
  return best;
}

/** The counter's value at `xPx`; null before the first sample, behind the run, and where nothing has arrived. */
export function hitCounter(
  draws: readonly DrawTile[],
  view: View,
  xPx: number,
  ends: CounterEnds,
): SampleHit | CounterBinHit | null {
  const { fromPx, toPx, knownToPx } = counterPlace(view, ends);
  const hit = xPx >= fromPx && xPx < toPx ? valueAt(draws, view, xPx) : null;
  const { lastTicks } = ends;
  if (hit === null || lastTicks === undefined || xPx < knownToPx) {
    return hit;
  }
  const [ordinal, value] = hit.kind === "sample" ? [hit.ordinal, hit.value] : [null, hit.last];
  const agoTicks = ticks(tickAtX(view, xPx) - lastTicks);
  return { kind: "sample", track: hit.track, ordinal, startTicks: lastTicks, value, agoTicks };
}

function valueAt(draws: readonly DrawTile[], view: View, xPx: number): SampleHit | CounterBinHit | null {
  const draw = draws.findLast(
    (candidate) => xOfTick(view, candidate.clipStart) <= xPx && xPx < xOfTick(view, candidate.clipEnd),
  );
  if (draw === undefined) {
    return null;
  }
  const { tile } = draw;
  return tile.kind === "leaf" ? sampleHit(tile, view, xPx) : counterBinHit(tile, view, xPx);
}

/** All facts about slice `k` of a tile. */
export function sliceHit(tile: TileData, k: number): SliceHit {
  const { slices } = tile;
  return {
    kind: "slice",
    track: tile.track,
    ordinal: slices.ordinal[k]!,
    row: slices.row[k]!,
    nameId: slices.name[k]!,
    startTicks: sliceStart(tile, k),
    durationTicks: sliceDuration(tile, k),
    flags: slices.flags[k]!,
  };
}

function nearestSlice(tile: TileData, view: View, xPx: number, row: number): { k: number; distance: number } | null {
  const { length, row: rows } = tile.slices;
  const { start, end, shift } = placeSlices(tile, view.startTicks);
  let best = -1;
  let bestDistance = Number.POSITIVE_INFINITY;
  let bestLength = -1;
  for (let k = 0; k < length; k++) {
    if (rows[k] !== row) {
      continue;
    }
    const x0 = (start[k]! + shift - view.startFraction) / view.ticksPerPx;
    const x1 = (end[k]! + shift - view.startFraction) / view.ticksPerPx;
    // A slice is drawn with at least one pixel, the one that holds its start.
    const drawn1 = Math.max(x1, Math.floor(x0) + 1);
    const drawn0 = x1 - x0 < 1 ? Math.floor(x0) : x0;
    const inside = xPx >= x0 && xPx < x1;
    const distance = inside ? 0 : xPx < drawn0 ? drawn0 - xPx : xPx < drawn1 ? 0.25 : xPx - drawn1 + 0.25;
    if (distance < bestDistance || (distance === bestDistance && x1 - x0 > bestLength)) {
      best = k;
      bestDistance = distance;
      bestLength = x1 - x0;
    }
  }
  return best < 0 ? null : { k: best, distance: bestDistance };
}

/** Distance at which a bin under the pointer counts: a slice that is drawn under the pointer is nearer, one beside it is not. */
const BIN_DISTANCE_PX = 0.5;

function nearestBin(tile: TileData, view: View, xPx: number, row: number): { k: number; distance: number } | null {
  const { bins } = tile;
  const widthPx = tile.binTicks / view.ticksPerPx;
  const position = (xPx - xOfTick(view, tile.originTicks)) / widthPx;
  const index = Math.floor(position);
  // Bins are in the order (row, bin).
  let low = 0;
  let high = bins.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const before = bins.row[middle]! < row || (bins.row[middle] === row && bins.bin[middle]! < index);
    low = before ? middle + 1 : low;
    high = before ? high : middle;
  }
  let best: { k: number; distance: number } | null = null;
  for (const k of [low, low - 1]) {
    if (k < 0 || k >= bins.length || bins.row[k] !== row) {
      continue;
    }
    const beside = Math.max(bins.bin[k]! - position, position - bins.bin[k]! - 1, 0) * widthPx;
    if (best === null || BIN_DISTANCE_PX + beside < best.distance) {
      best = { k, distance: BIN_DISTANCE_PX + beside };
    }
  }
  return best;
}

export function binHit(tile: TileData, k: number): BinHit {
  const { bins } = tile;
  const startTicks = binStart(tile, bins.bin[k]!);
  return {
    ...{ kind: "bin", track: tile.track, level: tile.level, index: tile.index },
    row: bins.row[k]!,
    place: bins.bin[k]!,
    startTicks,
    endTicks: plus(startTicks, BigInt(tile.binTicks)),
    count: bins.count[k]!,
    density: bins.busy[k]! / tile.binTicks,
    exact: exactSums(bins, k),
    nameId: bins.name[k]!,
    share: bins.share[k]! / 255,
  };
}

function exactSums({ exact }: BinColumns, k: number): ExactSums | null {
  return exact === null ? null : { busyTicks: ticks(exact.busy[k]!), longestTicks: ticks(exact.longest[k]!) };
}

/** The exact sums of the bin of a row at a place in its tile; null where there is none, or they are not there. */
export function exactSumsAt({ bins }: TileData, row: number, place: number): ExactSums | null {
  const k = bins.bin.findIndex((bin, index) => bin === place && bins.row[index] === row);
  return k < 0 ? null : exactSums(bins, k);
}

function sampleHit(tile: TileData, view: View, xPx: number): SampleHit | null {
  const { samples } = tile;
  let k = samples.length - 1;
  while (k >= 0 && xOfTick(view, sampleTime(tile, k)) > xPx) {
    k -= 1;
  }
  if (k >= 0) {
    const [startTicks, value] = [sampleTime(tile, k), samples.value[k]!];
    return { kind: "sample", track: tile.track, ordinal: samples.ordinal[k]!, startTicks, value, agoTicks: null };
  }
  return Number.isNaN(tile.carry) ? null : carryHit(tile);
}

function counterBinHit(tile: TileData, view: View, xPx: number): SampleHit | CounterBinHit | null {
  const { counterBins: bins } = tile;
  const index = (xPx - xOfTick(view, tile.originTicks)) / (tile.binTicks / view.ticksPerPx);
  let k = bins.length - 1;
  while (k >= 0 && bins.bin[k]! > index) {
    k -= 1;
  }
  if (k < 0) {
    return Number.isNaN(tile.carry) ? null : carryHit(tile);
  }
  const startTicks = binStart(tile, bins.bin[k]!);
  const endTicks = plus(startTicks, BigInt(tile.binTicks));
  if (index >= bins.bin[k]! + 1) {
    const value = bins.last[k]!;
    return { kind: "sample", track: tile.track, ordinal: null, startTicks: endTicks, value, agoTicks: null };
  }
  return {
    ...{ kind: "counterBin", track: tile.track, startTicks, endTicks, n: bins.n[k]! },
    ...{ first: bins.first[k]!, last: bins.last[k]!, min: bins.min[k]!, max: bins.max[k]!, mean: bins.mean[k]! },
  };
}

function carryHit(tile: TileData): SampleHit {
  const [startTicks, value] = [tile.originTicks, tile.carry];
  return { kind: "sample", track: tile.track, ordinal: null, startTicks, value, agoTicks: null };
}
