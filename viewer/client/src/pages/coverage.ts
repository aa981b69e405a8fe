/**
 * Tiles to draw for a track now, of those that have arrived so far.
 *
 * Every part of the view that holds events gets exactly one tile: the sharp one when it is there, else finer ones that
 * are still there from before, else the nearest ancestor, clipped to the part that is missing. So nothing is drawn
 * twice, and nothing is blank once a coarse tile has arrived.
 */

import { minus, type Ticks } from "../base/time";
import { type TickRange, type View, visibleRange } from "../base/view";
import { binTicks, slotOf, tileIndexAt, tileOrigin } from "./key";
import type { Composer } from "./parts";
import { ENOUGH_LEVELS, FINE_LEVELS, sharpLevel, type TrackRequest } from "./resolver";
import { NO_TILE, type ShapeIndex } from "./shape";
import { type TileData, type TileLookup, tileEnd } from "./tile";

/** A tile, and the part of the time axis for which it is drawn: `[clipStart, clipEnd)`. */
export interface DrawTile {
  readonly tile: TileData;
  readonly clipStart: Ticks;
  readonly clipEnd: Ticks;
  /** False for a stand-in of another level while the right tile is on its way. */
  readonly sharp: boolean;
}

/** Tiles that can be drawn of a track in a view, and the parts that are missing. */
export interface Coverage {
  /** In time order, without overlaps. */
  readonly draws: readonly DrawTile[];
  /** True if everything that the view needs is there. */
  readonly complete: boolean;
  /** Ranges that may hold events and have nothing to draw yet: not idle, but unknown. In time order. */
  readonly missing: readonly TickRange[];
  /** The track is not built yet: its draws are of the overview, one band for all of its rows. */
  readonly provisional?: boolean;
}

/** Levels below a missing tile on which finer ones are looked for; 16 tiles at most take its place. */
const FINER_LEVELS = 2;

/** Tiles in memory that can be drawn of a track in a view. */
export function coverage(
  lookup: TileLookup,
  shape: ShapeIndex,
  request: TrackRequest,
  view: View,
  rootLevel: number,
  composer?: Composer,
): Coverage {
  const walk = new Walk(lookup, shape, request, view, rootLevel, composer);
  const root = shape.find(slotOf(request.track), rootLevel, 0);
  if (root !== NO_TILE) {
    walk.visit(root, undefined);
  }
  return { draws: walk.draws, complete: walk.complete, missing: walk.missing };
}

class Walk {
  readonly draws: DrawTile[] = [];
  readonly missing: TickRange[] = [];
  complete = true;
  readonly #slot: number;
  readonly #level: number;
  readonly #start: Ticks;
  readonly #last: Ticks;
  readonly #lookup: TileLookup;
  readonly #shape: ShapeIndex;
  readonly #request: TrackRequest;
  readonly #composer: Composer | undefined;

  constructor(
    lookup: TileLookup,
    shape: ShapeIndex,
    request: TrackRequest,
    view: View,
    rootLevel: number,
    composer: Composer | undefined,
  ) {
    this.#lookup = lookup;
    this.#shape = shape;
    this.#request = request;
    this.#composer = composer;
    const range = visibleRange(view);
    this.#slot = slotOf(request.track);
    this.#level = sharpLevel(view.ticksPerPx, rootLevel);
    this.#start = range.startTicks;
    this.#last = minus(range.endTicks, 1n);
  }

  visit(position: number, ancestor: TileData | undefined): void {
    const level = this.#shape.levelAt(position);
    const index = this.#shape.indexAt(position);
    const tile = this.#lookup(this.#request.track, level, index);
    if (level === this.#level || this.#shape.kindAt(position) !== "interior") {
      if (!this.#compose(position, tile, ancestor)) {
        this.#emit(position, tile, ancestor);
      }
      return;
    }
    const nearest = tile ?? ancestor;
    for (const child of this.#children(level, index)) {
      const position = this.#shape.find(this.#slot, level - 1, child);
      if (position !== NO_TILE) {
        this.visit(position, nearest);
      } else if (this.#request.kind === "counter") {
        // No samples, but a value is in force, which the tile around the gap knows.
        this.#push(nearest, level - 1, child, tile !== undefined);
      }
    }
  }

  /** Draws what a rollup's terminal tile is made of; false where the tile itself is to be drawn. */
  #compose(position: number, tile: TileData | undefined, ancestor: TileData | undefined): boolean {
    const composer = this.#composer;
    const request = this.#request;
    const shape = this.#shape;
    const level = shape.levelAt(position);
    const coarser = level > this.#level + FINE_LEVELS && shape.kindAt(position) === "terminal";
    if (!coarser || composer === undefined || request.children === undefined) {
      return false;
    }
    const isEnough = tile !== undefined && level <= this.#level + ENOUGH_LEVELS;
    const terminal = { track: request.track, level, index: shape.indexAt(position) };
    const steps = 4 ** (level - this.#level);
    const from = Math.max(terminal.index * steps, tileIndexAt(this.#level, this.#start));
    const to = Math.min(terminal.index * steps + steps - 1, tileIndexAt(this.#level, this.#last));
    for (let index = from; index <= to; index++) {
      const composed = composer.compose(terminal, request.children, this.#level, index, request.framing);
      if (composed === "whole") {
        return false;
      }
      if (composed === "waiting") {
        const standIn = composer.standIn(terminal, this.#level, index) ?? tile ?? ancestor;
        this.#push(standIn, this.#level, index, isEnough);
      } else if (composed !== null) {
        this.#push(composed, this.#level, index, true);
      }
    }
    return true;
  }

  #emit(position: number, tile: TileData | undefined, ancestor: TileData | undefined): void {
    const level = this.#shape.levelAt(position);
    const index = this.#shape.indexAt(position);
    if (tile !== undefined) {
      this.#push(tile, level, index, true);
      return;
    }
    const finer: TileData[] = [];
    if (this.#finer(position, FINER_LEVELS, finer)) {
      this.complete = false;
      for (const part of finer) {
        this.#push(part, part.level, part.index, false);
      }
      return;
    }
    this.#push(ancestor, level, index, false);
  }

  /** Collects the tiles below `position` that show it completely; false when one of them is not there. */
  #finer(position: number, levels: number, out: TileData[]): boolean {
    const level = this.#shape.levelAt(position);
    if (levels === 0 || this.#shape.kindAt(position) !== "interior" || this.#request.kind === "counter") {
      return false;
    }
    for (const child of this.#children(level, this.#shape.indexAt(position))) {
      const position = this.#shape.find(this.#slot, level - 1, child);
      if (position === NO_TILE) {
        continue;
      }
      const tile = this.#lookup(this.#request.track, level - 1, child);
      if (tile !== undefined) {
        out.push(tile);
      } else if (!this.#finer(position, levels - 1, out)) {
        return false;
      }
    }
    return true;
  }

  /** Indices of the children of a tile that the view shows. */
  *#children(level: number, index: number): Iterable<number> {
    const from = Math.max(4 * index, tileIndexAt(level - 1, this.#start));
    const to = Math.min(4 * index + 3, tileIndexAt(level - 1, this.#last));
    for (let child = from; child <= to; child++) {
      yield child;
    }
  }

  #push(tile: TileData | undefined, level: number, index: number, sharp: boolean): void {
    this.complete = this.complete && sharp;
    const clipStart = tileOrigin(level, index);
    const clipEnd = tileEnd(level, index);
    if (tile === undefined) {
      this.#pushMissing(clipStart, clipEnd);
      return;
    }
    const before = this.draws[this.draws.length - 1];
    if (before !== undefined && before.tile === tile) {
      this.draws[this.draws.length - 1] = { ...before, clipEnd, sharp: before.sharp && sharp };
    } else {
      this.draws.push({ tile, clipStart, clipEnd, sharp });
    }
  }

  #pushMissing(startTicks: Ticks, endTicks: Ticks): void {
    const before = this.missing[this.missing.length - 1];
    if (before !== undefined && before.endTicks === startTicks) {
      this.missing[this.missing.length - 1] = { ...before, endTicks };
    } else {
      this.missing.push({ startTicks, endTicks });
    }
  }
}

/** Nothing is known of a track yet. */
export function nothingKnown(view: View): Coverage {
  return { draws: [], complete: false, missing: [visibleRange(view)] };
}

/** Pixels per bin of a drawn tile: what the status line says about the resolution. */
export function binPx(tile: TileData, view: View): number {
  return binTicks(tile.level) / view.ticksPerPx;
}
