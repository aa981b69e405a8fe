/**
 * Index of the tiles of a block, with the page of each.
 *
 * Built from the block's shape record. A tile is known by its position in the record, which all other facts hang on.
 */

import { INTS } from "./columns";
import { Container } from "./container";
import { FormatError } from "./error";
import { MAX_LEVEL, type PageKey, TRACKS_PER_BLOCK } from "./key";
import { tileKind } from "./page";
import type { TileKind } from "./tile";

const FIRST_OF_PAGE = 4;

/** No such tile. */
export const NO_TILE = -1;

/** The columns of a shape record: one value for each tile. */
export interface ShapeColumns {
  readonly level: Uint8Array;
  readonly index: Float64Array;
  readonly slot: Uint8Array;
  readonly flags: Uint8Array;
  readonly events: Float64Array;
}

/** Tiles of a block, with their pages. */
export class ShapeIndex {
  readonly block: number;
  readonly length: number;
  readonly #columns: ShapeColumns;
  /** Per tile the position of the first tile of its page. */
  readonly #pageStart: Uint32Array;
  /** Positions grouped by (level, slot), and where each group begins. */
  readonly #grouped: Uint32Array;
  readonly #groupStart: Uint32Array;

  /** Decodes an inflated shape record. Throws FormatError. */
  static decode(bytes: Uint8Array, block: number): ShapeIndex {
    const container = new Container(bytes);
    if (container.kind !== "shape" || container.block !== block) {
      throw new FormatError(`not the shape record of block ${block}`);
    }
    const n = container.tileCount;
    return new ShapeIndex(block, {
      level: container.ints(INTS.shapeLevel, n).toUint8("level", MAX_LEVEL),
      index: container.ints(INTS.shapeIndex, n).toFloat64(),
      slot: container.ints(INTS.shapeSlot, n).toUint8("slot", TRACKS_PER_BLOCK - 1),
      flags: container.ints(INTS.shapeFlags, n).toUint8("tile flags"),
      events: container.ints(INTS.shapeEvents, n).toFloat64(),
    });
  }

  constructor(block: number, columns: ShapeColumns) {
    this.block = block;
    this.#columns = columns;
    this.length = columns.level.length;
    this.#pageStart = pageStarts(columns);
    this.#groupStart = new Uint32Array((MAX_LEVEL + 1) * TRACKS_PER_BLOCK + 1);
    this.#grouped = group(columns, this.#groupStart);
  }

  /** The position of a tile, or NO_TILE. */
  find(slot: number, level: number, index: number): number {
    const bound = this.#lowerBound(slot, level, index);
    const position = bound < this.#groupEnd(slot, level) ? this.#grouped[bound]! : NO_TILE;
    return position !== NO_TILE && this.#columns.index[position] === index ? position : NO_TILE;
  }

  /** The positions of the tiles of a slot and level with indices `from` to `to` (inclusive), in time order. */
  range(slot: number, level: number, from: number, to: number): Uint32Array {
    const begin = this.#lowerBound(slot, level, from);
    const end = this.#lowerBound(slot, level, to + 1);
    return this.#grouped.subarray(begin, end);
  }

  /** The levels on which a slot has tiles, coarsest first. */
  levels(slot: number): number[] {
    const out: number[] = [];
    for (let level = MAX_LEVEL; level >= 0; level--) {
      if (this.#groupEnd(slot, level) > this.#groupStart[groupOf(slot, level)]!) {
        out.push(level);
      }
    }
    return out;
  }

  /** The level of the tile. */
  levelAt(position: number): number {
    return this.#columns.level[position]!;
  }

  /** The index of the tile on its level. */
  indexAt(position: number): number {
    return this.#columns.index[position]!;
  }

  /** The slot of the tile's track in the block. */
  slotAt(position: number): number {
    return this.#columns.slot[position]!;
  }

  /** Kind of the tile. */
  kindAt(position: number): TileKind {
    return tileKind(this.#columns.flags[position]!);
  }

  /** The number of events that start in the tile, exactly. */
  eventsAt(position: number): number {
    return this.#columns.events[position]!;
  }

  /** The flags of the tile, as docs/page-format.md has them. */
  flagsAt(position: number): number {
    return this.#columns.flags[position]!;
  }

  /** The page that holds the tile. */
  pageAt(position: number): PageKey {
    const start = this.#pageStart[position]!;
    const { level, index, slot } = this.#columns;
    return { block: this.block, level: level[start]!, index: index[start]!, slot: slot[start]! };
  }

  #groupEnd(slot: number, level: number): number {
    return this.#groupStart[groupOf(slot, level) + 1]!;
  }

  /** The first place in `grouped` whose tile index is at least `index`. */
  #lowerBound(slot: number, level: number, index: number): number {
    let low = this.#groupStart[groupOf(slot, level)]!;
    let high = this.#groupEnd(slot, level);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#columns.index[this.#grouped[middle]!]! < index) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

function groupOf(slot: number, level: number): number {
  return level * TRACKS_PER_BLOCK + slot;
}

/** Checks the order of the tiles and finds the page of each. */
function pageStarts({ level, index, slot, flags }: ShapeColumns): Uint32Array {
  const out = new Uint32Array(level.length);
  let start = 0;
  for (let t = 0; t < level.length; t++) {
    const newLevel = t === 0 || level[t]! > level[t - 1]!;
    const inOrder =
      newLevel ||
      (level[t] === level[t - 1] &&
        (index[t]! > index[t - 1]! || (index[t] === index[t - 1] && slot[t]! > slot[t - 1]!)));
    if (!inOrder || !(index[t]! >= 0 && index[t]! <= Number.MAX_SAFE_INTEGER)) {
      throw new FormatError(`tile ${t} of the shape record is out of order`);
    }
    if ((flags[t]! & FIRST_OF_PAGE) !== 0) {
      start = t;
    } else if (newLevel) {
      throw new FormatError(`tile ${t} of the shape record begins level ${level[t]} but no page`);
    }
    out[t] = start;
  }
  return out;
}

/** Counting sort of the positions by (level, slot); fills `groupStart`. */
function group({ level, slot }: ShapeColumns, groupStart: Uint32Array): Uint32Array {
  for (let t = 0; t < level.length; t++) {
    groupStart[groupOf(slot[t]!, level[t]!) + 1]! += 1;
  }
  for (let g = 1; g < groupStart.length; g++) {
    groupStart[g]! += groupStart[g - 1]!;
  }
  const next = groupStart.slice();
  const grouped = new Uint32Array(level.length);
  for (let t = 0; t < level.length; t++) {
    const g = groupOf(slot[t]!, level[t]!);
    grouped[next[g]!] = t;
    next[g]! += 1;
  }
  return grouped;
}
