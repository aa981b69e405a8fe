/**
 * From what is on the screen to the pages that show it, in order of priority.
 *
 * Pure, and specified in docs/resolver.md with test vectors in tests/vectors/resolver, so that other clients ask for
 * the same pages.
 */

import type { TrackKind } from "../base/schema";
import { minus, plus } from "../base/time";
import { type TickRange, type View, visibleRange } from "../base/view";
import { blockOf, type PageKey, type PageName, pageName, slotOf, tileIndexAt } from "./key";
import { overlaps, type Part, partsOf, type TerminalTile } from "./parts";
import { NO_TILE, type ShapeIndex } from "./shape";

/** A track that is to be shown. */
export interface TrackRequest {
  readonly track: number;
  readonly kind: TrackKind;
  /** Rollups: the tracks that they sum. Without them a rollup is as fine as its own tiles. */
  readonly children?: readonly number[];
  /** Rollups: those of them that name nothing in it, see `Track.frames`. */
  readonly framing?: readonly number[];
}

/** Input from which the pages of a view are computed. */
export interface ResolveInput {
  readonly view: View;
  /** Visible tracks, from top to bottom. */
  readonly tracks: readonly TrackRequest[];
  /** Tracks just outside the screen. */
  readonly nearby?: readonly TrackRequest[];
  readonly rootLevel: number;
  /** Shape indices by block; tracks of other blocks are left out. */
  readonly shapes: ReadonlyMap<number, ShapeIndex>;
  /** Ticks beyond each side of the view for which pages are fetched ahead; half the view's width unless given. */
  readonly marginPx?: number;
  /** A memory for `partsOf`, where one is kept from call to call. */
  readonly partsOf?: (terminal: TerminalTile, children: readonly number[]) => readonly Part[] | null;
}

/**
 * `coarse`: a first picture. `sharp`: what the view needs. `margin`: finer bins of rollups, and what is around the view. `root`: the whole
 * run.
 */
export type Tier = "coarse" | "sharp" | "margin" | "root";

/** A page that is wanted, and how urgently. */
export interface PageWant {
  readonly key: PageKey;
  readonly name: PageName;
  readonly tier: Tier;
}

/** The sharpest level that is worth drawing has the widest bins of at most this many pixels. */
const MAX_BIN_PX = 2;

/** The coarse pass is this many levels (a factor of 4 each) above the sharp one: a screen is then one or two tiles. */
const COARSE_LEVELS = 2;

/** So many levels above the sharp one a rollup's own tiles are fine enough. */
export const FINE_LEVELS = 1;

/**
 * So many levels above it they are enough for a picture that is complete, with bins of up to 32 px: leaves for a header at such a width
 * are several times the bytes of everything else in the view, and come after it.
 */
export const ENOUGH_LEVELS = 2;

/** The highest level whose bins are at most 2 px wide, so between 0.5 and 2 px; 0 where even a tick is wider. */
export function sharpLevel(ticksPerPx: number, rootLevel: number): number {
  let level = 0;
  while (level < rootLevel && 4 ** (level + 1) <= MAX_BIN_PX * ticksPerPx) {
    level += 1;
  }
  return level;
}

/** The wanted pages, each once, most urgent first. */
export function resolve(input: ResolveInput): PageWant[] {
  const { view, tracks, nearby = [], rootLevel } = input;
  const sharp = sharpLevel(view.ticksPerPx, rootLevel);
  const coarse = Math.min(rootLevel, sharp + COARSE_LEVELS);
  const visible = visibleRange(view);
  const around = widened(visible, view, input.marginPx ?? view.widthPx / 2);
  const wants = new Map<PageName, PageWant>();
  const want = (tier: Tier, key: PageKey, name: PageName): void => {
    if (!wants.has(name)) {
      wants.set(name, { key, name, tier });
    }
  };
  const add = (tier: Tier, requests: readonly TrackRequest[], level: number, range: TickRange): void => {
    for (const request of requests) {
      const shape = input.shapes.get(blockOf(request.track));
      for (const position of shape === undefined ? [] : tilesFor(shape, request, range, level, rootLevel)) {
        const key = shape!.pageAt(position);
        want(tier, key, pageName(key));
      }
    }
  };
  const find = input.partsOf ?? ((terminal, children) => partsOf(input.shapes, children, terminal, rootLevel));
  // Only parts in the range: those of a whole terminal tile are several times the bytes of the view, for a lane of 20 px.
  const addParts = (tier: Tier, range: TickRange, levels = FINE_LEVELS): void => {
    const first = tileIndexAt(sharp, range.startTicks);
    const last = tileIndexAt(sharp, range.endTicks - 1n);
    for (const request of tracks) {
      for (const terminal of coarseTerminals(input.shapes, request, range, sharp, rootLevel, levels)) {
        for (const part of find(terminal, request.children!) ?? []) {
          if (overlaps(part, sharp, first, last)) {
            want(tier, part.key, part.name);
          }
        }
      }
    }
  };
  add("coarse", tracks, coarse, visible);
  add("sharp", tracks, sharp, visible);
  addParts("sharp", visible, ENOUGH_LEVELS);
  addParts("margin", visible);
  add("margin", tracks, sharp, around);
  addParts("margin", around);
  add("margin", nearby, coarse, visible);
  add("margin", nearby, sharp, visible);
  add("root", tracks, rootLevel, visible);
  return [...wants.values()];
}

/**
 * Positions of the tiles that show a range of a track with bins of `level`: the tiles of that level, and coarser tiles
 * below which nothing finer exists. A counter keeps its value where it has no samples and so no tiles; there the
 * deepest tile around the gap is wanted.
 */
export function tilesFor(
  shape: ShapeIndex,
  { track, kind }: TrackRequest,
  range: TickRange,
  level: number,
  rootLevel: number,
): number[] {
  const slot = slotOf(track);
  const out: number[] = [];
  for (let z = rootLevel; z >= level; z--) {
    const from = tileIndexAt(z, range.startTicks);
    const to = tileIndexAt(z, range.endTicks - 1n);
    for (const position of shape.range(slot, z, from, to)) {
      const last = z === level || shape.kindAt(position) !== "interior";
      if (last || (kind === "counter" && hasGap(shape, position, range))) {
        out.push(position);
      }
    }
  }
  return out;
}

/**
 * The terminal tiles of a rollup in a range that are more than so many levels above the sharp one, where its children are known: one level
 * above it a rollup's own bins, of 2 to 8 px, say as much as finer ones, and are a fraction of the bytes.
 */
export function coarseTerminals(
  shapes: ReadonlyMap<number, ShapeIndex>,
  { track, kind, children }: TrackRequest,
  range: TickRange,
  sharp: number,
  rootLevel: number,
  levels = FINE_LEVELS,
): TerminalTile[] {
  const shape = shapes.get(blockOf(track));
  if (shape === undefined || kind !== "rollup" || children === undefined) {
    return [];
  }
  const out: TerminalTile[] = [];
  for (let z = rootLevel; z > sharp + levels; z--) {
    const last = tileIndexAt(z, range.endTicks - 1n);
    for (const position of shape.range(slotOf(track), z, tileIndexAt(z, range.startTicks), last)) {
      if (shape.kindAt(position) === "terminal") {
        out.push({ track, level: z, index: shape.indexAt(position) });
      }
    }
  }
  return out;
}

/** True if a child of the tile that overlaps the range does not exist. */
function hasGap(shape: ShapeIndex, position: number, range: TickRange): boolean {
  const child = shape.levelAt(position) - 1;
  const first = 4 * shape.indexAt(position);
  const from = Math.max(first, tileIndexAt(child, range.startTicks));
  const to = Math.min(first + 3, tileIndexAt(child, range.endTicks - 1n));
  for (let index = from; index <= to; index++) {
    if (shape.find(shape.slotAt(position), child, index) === NO_TILE) {
      return true;
    }
  }
  return false;
}

function widened(range: TickRange, view: View, marginPx: number): TickRange {
  const margin = BigInt(Math.ceil(marginPx * view.ticksPerPx));
  return {
    startTicks: minus(range.startTicks, margin),
    endTicks: plus(range.endTicks, margin),
  };
}
