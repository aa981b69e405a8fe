/**
 * A plain reference of the tile tree for tests: slow, short, and straight from docs/page-format.md.
 *
 * It makes the tiles of a few tracks, packs them into pages and answers with the same bytes as a server would.
 */

import { binTicks, type PageKey, type PageName, pageName, tileOrigin } from "../pages/key";
import { decodePage } from "../pages/page";
import { withResidual } from "../pages/residual";
import { ShapeIndex } from "../pages/shape";
import type { TileData } from "../pages/tile";
import { encodePage, encodeShape, type ShapeRow } from "./page";
import { encodeResidual } from "./residual";
import {
  type BinInput,
  type CounterBinInput,
  LEAF,
  type SampleInput,
  type SliceInput,
  TERMINAL,
  type TileInput,
} from "./tile-input";

export interface EventInput {
  readonly start: number;
  readonly duration: number;
  readonly row: number;
  readonly name: number;
}

export interface PyramidOptions {
  readonly rootLevel: number;
  /** Tiles with at most so many events are leaves. */
  readonly leafEvents: number;
  readonly tilesPerPage: number;
}

/** A page and its residual as a server sends them, inflated. */
export interface PageBytes {
  readonly key: PageKey;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly residual: Uint8Array<ArrayBuffer>;
}

export class Pyramid {
  readonly shapeBytes: Uint8Array<ArrayBuffer>;
  readonly pages = new Map<PageName, PageBytes>();
  readonly block: number;

  constructor(tiles: readonly TileInput[], tilesPerPage: number, block = 0) {
    this.block = block;
    const sorted = [...tiles].sort((a, b) => a.level - b.level || a.index - b.index || a.slot - b.slot);
    const rows: ShapeRow[] = [];
    let page: TileInput[] = [];
    sorted.forEach((tile, t) => {
      const first = page.length === 0;
      page.push(tile);
      rows.push([tile.level, tile.index, tile.slot, tile.flags | (first ? 4 : 0), tile.events]);
      if (page.length === tilesPerPage || sorted[t + 1]?.level !== tile.level) {
        this.#addPage(page);
        page = [];
      }
    });
    this.shapeBytes = encodeShape(this.block, rows);
  }

  shape(): ShapeIndex {
    return ShapeIndex.decode(this.shapeBytes, this.block);
  }

  /** All tiles, decoded, as they are drawn. */
  tiles(): TileData[] {
    return [...this.pages.values()].flatMap(({ key, bytes }) => decodePage(bytes, key).tiles);
  }

  /** The same with exact bins. */
  exactTiles(): TileData[] {
    const pages = [...this.pages.values()];
    return pages.flatMap(({ key, bytes, residual }) => withResidual(decodePage(bytes, key), residual).tiles);
  }

  #addPage(tiles: readonly TileInput[]): void {
    const { level, index, slot } = tiles[0]!;
    const key = { block: this.block, level, index, slot };
    const residual = encodeResidual(this.block, tiles);
    this.pages.set(pageName(key), { key, bytes: encodePage(this.block, tiles), residual });
  }
}

/** The tiles of a slice track, or with `duration` 0 throughout of an instant track. */
export function sliceTiles(slot: number, events: readonly EventInput[], options: PyramidOptions): TileInput[] {
  const ordered = [...events].sort((a, b) => a.start - b.start || b.duration - a.duration);
  const all = ordered.map((event, ordinal) => ({ ...event, ordinal }));
  const out: TileInput[] = [];
  const build = (level: number, index: number): void => {
    const from = Number(tileOrigin(level, index));
    const to = from + 256 * binTicks(level);
    const inside = all.filter((e) => e.start < to && (e.start >= from || e.start + e.duration > from));
    if (inside.length === 0) {
      return;
    }
    const leaf = level === 0 || inside.length <= options.leafEvents;
    const exact = inside.filter((e) => leaf || e.duration >= 2 * binTicks(level));
    const short = inside.filter((e) => !leaf && e.duration < 2 * binTicks(level));
    out.push({
      ...{ level, index, slot, flags: leaf ? LEAF : 0 },
      events: inside.filter((e) => e.start >= from).length,
      slices: exact.map((e) => sliceInput(e, from)),
      bins: bins(short, from, binTicks(level)),
    });
    for (let child = 4 * index; !leaf && child < 4 * index + 4; child++) {
      build(level - 1, child);
    }
  };
  build(options.rootLevel, 0);
  return out;
}

function sliceInput(event: EventInput & { ordinal: number }, tileStart: number): SliceInput {
  const { start, duration, row, name, ordinal } = event;
  return {
    ...{ start: BigInt(start), duration: BigInt(duration), row, name, ordinal },
    flags: start < tileStart ? 1 : 0,
  };
}

function bins(events: readonly EventInput[], tileStart: number, width: number): BinInput[] {
  const out: BinInput[] = [];
  const rows = [...new Set(events.map((event) => event.row))].sort((a, b) => a - b);
  for (const row of rows) {
    for (let bin = 0; bin < 256; bin++) {
      const from = tileStart + bin * width;
      const touching = events.filter(
        (e) => e.row === row && e.start < from + width && (e.start >= from || e.start + e.duration > from),
      );
      if (touching.length > 0) {
        out.push(binInput(touching, row, bin, from, width));
      }
    }
  }
  return out;
}

function binInput(events: readonly EventInput[], row: number, bin: number, from: number, width: number): BinInput {
  const names = new Map<number, { busy: number; count: number }>();
  for (const event of events) {
    const part = names.get(event.name) ?? { busy: 0, count: 0 };
    part.busy += Math.min(event.start + event.duration, from + width) - Math.max(event.start, from);
    part.count += event.start >= from ? 1 : 0;
    names.set(event.name, part);
  }
  const ranked = [...names].sort(([a, x], [b, y]) => y.busy - x.busy || y.count - x.count || a - b);
  const busy = ranked.reduce((sum, [, part]) => sum + part.busy, 0);
  const count = ranked.reduce((sum, [, part]) => sum + part.count, 0);
  const [name, most] = ranked[0]!;
  return {
    ...{ bin, row, count, busy: BigInt(busy), name },
    share: Math.floor(busy > 0 ? (255 * most.busy) / busy : (255 * most.count) / count),
    longest: BigInt(Math.max(...events.map((event) => event.duration))),
  };
}

/** The tiles of a rollup over all `events`: bins alone, and none below tiles with at most `terminalEvents` starts. */
export function rollupTiles(
  slot: number,
  events: readonly EventInput[],
  { rootLevel }: Pick<PyramidOptions, "rootLevel">,
  terminalEvents: number,
): TileInput[] {
  const all = events.map((event, ordinal) => ({ ...event, row: 0, ordinal }));
  const out: TileInput[] = [];
  const build = (level: number, index: number): void => {
    const from = Number(tileOrigin(level, index));
    const to = from + 256 * binTicks(level);
    const inside = all.filter((e) => e.start < to && (e.start >= from || e.start + e.duration > from));
    if (inside.length === 0) {
      return;
    }
    const starting = inside.filter((e) => e.start >= from).length;
    const terminal = level === 0 || starting <= terminalEvents;
    out.push({
      ...{ level, index, slot, flags: terminal ? TERMINAL : 0, events: starting, slices: [] },
      bins: bins(inside, from, binTicks(level)),
    });
    for (let child = 4 * index; !terminal && child < 4 * index + 4; child++) {
      build(level - 1, child);
    }
  };
  build(rootLevel, 0);
  return out;
}

export interface SampleEvent {
  readonly time: number;
  readonly value: number;
}

/** The tiles of a counter track; `samples` in time order. */
export function counterTiles(slot: number, samples: readonly SampleEvent[], options: PyramidOptions): TileInput[] {
  const all = samples.map((sample, ordinal) => ({ ...sample, ordinal }));
  const out: TileInput[] = [];
  const build = (level: number, index: number): void => {
    const from = Number(tileOrigin(level, index));
    const to = from + 256 * binTicks(level);
    const inside = all.filter((sample) => sample.time >= from && sample.time < to);
    if (inside.length === 0) {
      return;
    }
    const leaf = level === 0 || inside.length <= options.leafEvents;
    const carry = all.findLast((sample) => sample.time < from)?.value ?? Number.NaN;
    out.push({
      ...{ level, index, slot, flags: leaf ? LEAF : 0, events: inside.length, slices: [], bins: [], carry },
      samples: leaf
        ? inside.map(({ time, value, ordinal }): SampleInput => ({ time: BigInt(time), value, ordinal }))
        : [],
      counterBins: leaf ? [] : counterBins(inside, from, binTicks(level), carry),
    });
    for (let child = 4 * index; !leaf && child < 4 * index + 4; child++) {
      build(level - 1, child);
    }
  };
  build(options.rootLevel, 0);
  return out;
}

function counterBins(samples: readonly SampleEvent[], start: number, width: number, carry: number): CounterBinInput[] {
  const out: CounterBinInput[] = [];
  let inForce = carry;
  for (let bin = 0; bin < 256; bin++) {
    const from = start + bin * width;
    const inside = samples.filter((sample) => sample.time >= from && sample.time < from + width);
    if (inside.length === 0) {
      continue;
    }
    const values = inside.map((sample) => sample.value);
    let [sum, weight, tick] = [0, 0, from];
    for (const { time, value } of [...inside, { time: from + width, value: 0 }]) {
      sum += Number.isNaN(inForce) ? 0 : inForce * (time - tick);
      weight += Number.isNaN(inForce) ? 0 : time - tick;
      [tick, inForce] = [time, value];
    }
    const last = values[values.length - 1]!;
    inForce = last;
    const [min, max] = [Math.min(...values), Math.max(...values)];
    out.push({ bin, n: inside.length, first: values[0]!, last, min, max, mean: weight > 0 ? sum / weight : last });
  }
  return out;
}
