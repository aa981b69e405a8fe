/**
 * Parts of a rollup below its terminal tiles: the leaf tiles of the tracks that it sums.
 *
 * Leaves do not depend on the zoom level, so once they are here every closer look at the same place costs nothing.
 */

import { composeTile } from "./compose";
import { blockOf, type PageKey, type PageName, pageName, slotOf } from "./key";
import { NO_TILE, type ShapeIndex } from "./shape";
import { columnBytes, TILE_BYTES, type TileData, type TileLookup } from "./tile";

/** A leaf tile of a child track. */
export interface Part {
  readonly track: number;
  readonly level: number;
  readonly index: number;
  readonly key: PageKey;
  readonly name: PageName;
}

/** A terminal tile of a rollup. */
export interface TerminalTile {
  readonly track: number;
  readonly level: number;
  readonly index: number;
}

/**
 * A terminal tile that needs more pages is drawn as it is. Together its events fill a few pages, but leaf tiles of
 * tracks with few events reach far beyond it: this bounds what a header costs in a run of thousands of such tracks.
 */
export const MAX_PART_PAGES = 256;

/**
 * The parts of a terminal tile, by child track and in time order; empty where they would need too many pages, null
 * while the shape record of a child's block is missing.
 */
export function partsOf(
  shapes: ReadonlyMap<number, ShapeIndex>,
  children: readonly number[],
  { level, index }: Pick<TerminalTile, "level" | "index">,
  rootLevel: number,
): readonly Part[] | null {
  const out: Part[] = [];
  const pages = new Set<PageName>();
  for (const track of children) {
    const shape = shapes.get(blockOf(track));
    if (shape === undefined) {
      return null;
    }
    for (const position of leavesAt(shape, slotOf(track), level, index, rootLevel)) {
      const key = shape.pageAt(position);
      const name = pageName(key);
      pages.add(name);
      out.push({ track, level: shape.levelAt(position), index: shape.indexAt(position), key, name });
    }
  }
  return pages.size > MAX_PART_PAGES ? [] : out;
}

/** The leaf tiles of a track that overlap a tile's span: the leaf around it, or the leaves in it. */
function leavesAt(shape: ShapeIndex, slot: number, level: number, index: number, rootLevel: number): number[] {
  for (let z = level, i = index; z <= rootLevel; z++, i = Math.floor(i / 4)) {
    const position = shape.find(slot, z, i);
    if (position === NO_TILE) {
      continue;
    }
    if (shape.kindAt(position) === "leaf") {
      return [position];
    }
    return z === level ? leavesBelow(shape, position) : [];
  }
  return [];
}

function leavesBelow(shape: ShapeIndex, position: number): number[] {
  if (shape.kindAt(position) !== "interior") {
    return [position];
  }
  const first = 4 * shape.indexAt(position);
  const children = shape.range(shape.slotAt(position), shape.levelAt(position) - 1, first, first + 3);
  return [...children].flatMap((child) => leavesBelow(shape, child));
}

/** Blocks of the children whose shape records are missing. */
export function missingBlocks(shapes: ReadonlyMap<number, ShapeIndex>, children: readonly number[]): Set<number> {
  return new Set(children.map(blockOf).filter((block) => !shapes.has(block)));
}

/** A composed tile, null where nothing is; `waiting` for parts; `whole`: the terminal tile is as fine as it gets. */
export type Composed = TileData | null | "waiting" | "whole";

/** Limits of a composer: composed tiles, and the parts of terminal tiles. */
export interface ComposeLimits {
  readonly tiles: number;
  readonly tileBytes: number;
  readonly parts: number;
}

/** Some screens full. */
const LIMITS: ComposeLimits = { tiles: 2048, tileBytes: 24 * 1024 * 1024, parts: 100_000 };

/** Memory that a part takes. */
const PART_BYTES = 200;

/** Memory of a composer at most. */
export const COMPOSED_BYTES = LIMITS.tileBytes + LIMITS.parts * PART_BYTES;

/** Parts and composed tiles of all rollups, each computed once. */
export class Composer {
  /** Both in the order of their last use. */
  readonly #parts = new Map<string, readonly Part[]>();
  readonly #tiles = new Map<string, TileData | null>();
  #partCount = 0;
  #tileBytes = 0;
  #spentMs = 0;
  #budgetMs = Number.POSITIVE_INFINITY;
  #behind = false;
  #isWaiting = false;
  readonly #shapes: ReadonlyMap<number, ShapeIndex>;
  readonly #lookup: TileLookup;
  readonly #rootLevel: number;
  readonly #now: () => number;
  readonly #limits: ComposeLimits;

  constructor(
    shapes: ReadonlyMap<number, ShapeIndex>,
    lookup: TileLookup,
    rootLevel: number,
    now: () => number = () => 0,
    limits: ComposeLimits = LIMITS,
  ) {
    this.#shapes = shapes;
    this.#lookup = lookup;
    this.#rootLevel = rootLevel;
    this.#now = now;
    this.#limits = limits;
  }

  /** A new turn, in which composing may take so long. */
  begin(budgetMs: number): void {
    this.#budgetMs = budgetMs;
    this.#spentMs = 0;
    this.#behind = false;
    this.#isWaiting = false;
  }

  /** Memory that parts and composed tiles take. */
  get sizeBytes(): number {
    return this.#tileBytes + PART_BYTES * this.#partCount;
  }

  /** True if something was put off to the next turn. */
  get isBehind(): boolean {
    return this.#behind;
  }

  /** True if a tile of this turn lacks parts: those that arrive change the picture. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** The finest tile that is there already around a tile that is waited for, below the terminal tile. */
  standIn({ track, level: top }: TerminalTile, level: number, index: number): TileData | undefined {
    for (let z = level + 1, i = Math.floor(index / 4); z < top; z++, i = Math.floor(i / 4)) {
      const tile = this.#tiles.get(`${track}/${z}/${i}`);
      if (tile !== undefined && tile !== null) {
        return tile;
      }
    }
    return undefined;
  }

  /** The parts of a terminal tile, as the function of that name has them. */
  readonly partsOf = (terminal: TerminalTile, children: readonly number[]): readonly Part[] | null => {
    const name = `${terminal.track}/${terminal.level}/${terminal.index}`;
    const cached = this.#parts.get(name);
    if (cached !== undefined) {
      this.#parts.delete(name);
      this.#parts.set(name, cached);
      return cached;
    }
    const parts = partsOf(this.#shapes, children, terminal, this.#rootLevel);
    if (parts !== null) {
      this.#parts.set(name, parts);
      this.#partCount += parts.length;
      this.#forgetParts();
    }
    return parts;
  };

  #forgetParts(): void {
    for (const [name, parts] of this.#parts) {
      if (this.#partCount <= this.#limits.parts || this.#parts.size === 1) {
        return;
      }
      this.#parts.delete(name);
      this.#partCount -= parts.length;
    }
  }

  /** Tile `index` of a finer level, inside a terminal tile. `framing`: children that name nothing in it. */
  compose(
    terminal: TerminalTile,
    children: readonly number[],
    level: number,
    index: number,
    framing: readonly number[] = [],
  ): Composed {
    const name = `${terminal.track}/${level}/${index}`;
    const cached = this.#tiles.get(name);
    if (cached !== undefined) {
      this.#keep(name, cached);
      return cached;
    }
    const parts = this.partsOf(terminal, children);
    if (parts === null || parts.length === 0) {
      return parts === null ? "waiting" : "whole";
    }
    if (this.#spentMs >= this.#budgetMs) {
      this.#behind = true;
      return "waiting";
    }
    const startMs = this.#now();
    const leaves: TileData[] = [];
    for (const part of parts) {
      if (overlaps(part, level, index, index)) {
        const leaf = this.#lookup(part.track, part.level, part.index);
        if (leaf === undefined) {
          this.#isWaiting = true;
          return "waiting";
        }
        leaves.push(leaf);
      }
    }
    const tile = composeTile(terminal.track, level, index, leaves, framing);
    this.#keep(name, tile);
    this.#spentMs += this.#now() - startMs;
    return tile;
  }

  #keep(name: string, tile: TileData | null): void {
    if (!this.#tiles.delete(name)) {
      this.#tileBytes += tileBytes(tile);
    }
    this.#tiles.set(name, tile);
    for (const [oldest, dropped] of this.#tiles) {
      if (this.#tiles.size <= this.#limits.tiles && this.#tileBytes <= this.#limits.tileBytes) {
        return;
      }
      this.#tiles.delete(oldest);
      this.#tileBytes -= tileBytes(dropped);
    }
  }
}

function tileBytes(tile: TileData | null): number {
  return tile === null ? 0 : TILE_BYTES + columnBytes(tile.bins) + columnBytes(tile.slices);
}

/** True if a part has ticks in the tiles `first` to `last` of a level. */
export function overlaps(part: Pick<Part, "level" | "index">, level: number, first: number, last: number): boolean {
  const steps = part.level - level;
  const from = Math.floor(part.index * 4 ** steps);
  return from <= last && (steps > 0 ? from + 4 ** steps - 1 : from) >= first;
}
