/** Events of some names by time, from any place on: read from the pages on which these names start, and no others. */

import { INTS } from "../archive/columns";
import { recordKey } from "../archive/keys";
import { blockOf, type PageKey, pageName, slotOf, TRACKS_PER_BLOCK } from "../pages/key";
import type { ShapeIndex } from "../pages/shape";
import { sliceDuration, sliceStart, type TileData } from "../pages/tile";
import { type ArchivedRun, inflated } from "./archived-run";
import { recordColumns } from "./record-columns";
import type { TickSpan } from "./span-sums";

const FIRST_OF_PAGE = 4;
const REACHES_IN = 1;
const TILE_LOG2 = 8n;

/** Records of page names of a block that are read at most. */
const MOST_RECORDS = 65_536;
/** Pages that are read at once. */
const PAGES_AT_ONCE = 8;
/** Pages that are read for all hits of a view: some 5 MB. */
const MOST_PAGES = 160;

/** A place in the order in which events are listed: by time, then by track. */
export interface HitPlace {
  readonly start: bigint;
  readonly track: number;
  readonly ordinal: number;
}

export interface NameHit extends HitPlace {
  readonly name: number;
  readonly duration: bigint;
  readonly row: number;
}

interface HitWish {
  readonly tracks: readonly number[];
  readonly names: ReadonlySet<number>;
  readonly span: TickSpan;
  /** Hits beyond this place alone, which need not be that of an event. */
  readonly after: HitPlace | null;
  /** The last ones, latest first. */
  readonly isBackward: boolean;
}

/** A leaf on a page with hits. */
interface Leaf {
  readonly track: number;
  readonly index: number;
  readonly page: PageKey;
  readonly ticks: TickSpan;
}

/** The first hits that start in the span, at most so many. */
export async function chosenEvents(run: ArchivedRun, wish: HitWish, limit: number): Promise<NameHit[]> {
  const span = spanLeft(wish);
  const leaves = (await leavesOfTracks(run, wish, span)).sort((a, b) => compareTicks(a.ticks.start, b.ticks.start));
  if (wish.isBackward) {
    leaves.sort((a, b) => compareTicks(b.ticks.stop, a.ticks.stop));
  }
  let hits: NameHit[] = [];
  for (let next = 0; next < leaves.length; ) {
    const { until, isDone } = batchOf(leaves, next, hits, limit, wish.isBackward);
    if (isDone) {
      break;
    }
    const parts = await Promise.all(leaves.slice(next, until).map((leaf) => hitsOf(run, leaf, wish, span)));
    hits = [...hits, ...parts.flat()].sort((a, b) => (wish.isBackward ? compareHits(b, a) : compareHits(a, b)));
    next = until;
  }
  return hits.slice(0, limit);
}

/** All hits that start in a span; null where more pages would have to be read than is worth it. */
export async function allHits(
  run: ArchivedRun,
  tracks: readonly number[],
  names: ReadonlySet<number>,
  span: TickSpan,
): Promise<readonly NameHit[] | null> {
  const wish = { tracks, names, span, after: null, isBackward: false };
  const leaves = await leavesOfTracks(run, wish, span);
  if (new Set(leaves.map(({ page }) => pageName(page))).size > MOST_PAGES) {
    return null;
  }
  return (await Promise.all(leaves.map((leaf) => hitsOf(run, leaf, wish, span)))).flat();
}

async function leavesOfTracks(run: ArchivedRun, { tracks, names }: HitWish, span: TickSpan): Promise<Leaf[]> {
  const blocks = new Map<number, number[]>();
  for (const track of tracks) {
    blocks.set(blockOf(track), [...(blocks.get(blockOf(track)) ?? []), track]);
  }
  const parts = [...blocks].map(([block, members]) => leavesWithHits(run, block, members, names, span));
  return (await Promise.all(parts)).flat();
}

function compareTicks(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareHits(a: HitPlace, b: HitPlace): number {
  return compareTicks(a.start, b.start) || a.track - b.track || a.ordinal - b.ordinal;
}

/** The part of the span in which there may be hits beyond the place. */
function spanLeft({ span, after, isBackward }: HitWish): TickSpan {
  if (after === null) {
    return span;
  }
  return isBackward
    ? { start: span.start, stop: span.stop < after.start + 1n ? span.stop : after.start + 1n }
    : { start: span.start > after.start ? span.start : after.start, stop: span.stop };
}

/** The leaves that are read next: on some pages. Done where what is left lies beyond as many hits as are wanted. */
function batchOf(
  leaves: readonly Leaf[],
  next: number,
  hits: readonly NameHit[],
  limit: number,
  isBackward: boolean,
): { readonly until: number; readonly isDone: boolean } {
  const last = hits[limit - 1];
  const { ticks } = leaves[next]!;
  const isDone = last !== undefined && (isBackward ? ticks.stop <= last.start : ticks.start > last.start);
  const pages = new Set<string>();
  let until = next;
  while (until < leaves.length && pages.size < PAGES_AT_ONCE) {
    pages.add(pageName(leaves[until]!.page));
    until += 1;
  }
  return { until, isDone };
}

async function leavesWithHits(
  run: ArchivedRun,
  block: number,
  tracks: readonly number[],
  names: ReadonlySet<number>,
  span: TickSpan,
): Promise<Leaf[]> {
  const [shape, pages] = await Promise.all([run.shape(block), pagesOfNames(run, block, names)]);
  const slots = new Set(tracks.map(slotOf));
  const leaves: Leaf[] = [];
  let page = -1;
  for (let position = 0; position < shape.length; position++) {
    page += (shape.flagsAt(position) & FIRST_OF_PAGE) === 0 ? 0 : 1;
    const slot = shape.slotAt(position);
    if (!pages.has(page) || !slots.has(slot) || shape.kindAt(position) !== "leaf") {
      continue;
    }
    const ticks = ticksOf(shape, position);
    if (ticks.start < span.stop && ticks.stop > span.start) {
      const track = block * TRACKS_PER_BLOCK + slot;
      leaves.push({ track, index: shape.indexAt(position), page: shape.pageAt(position), ticks });
    }
  }
  return leaves;
}

function ticksOf(shape: ShapeIndex, position: number): TickSpan {
  const shift = BigInt(2 * shape.levelAt(position)) + TILE_LOG2;
  const index = BigInt(shape.indexAt(position));
  return { start: index << shift, stop: (index + 1n) << shift };
}

/** Numbers of the pages of a block on which slices of some names start. */
async function pagesOfNames(run: ArchivedRun, block: number, names: ReadonlySet<number>): Promise<ReadonlySet<number>> {
  const first = recordKey("L", [BigInt(block), 0n])!;
  const keys = await run.archive.keys(first, first.slice(0, -4), MOST_RECORDS);
  const records = await Promise.all(keys.map(async (key) => inflated((await run.archive.get(key))!)));
  const pages = new Set<number>();
  for (const record of records) {
    const container = recordColumns(record, "TSPN", block);
    const n = container.tileCount;
    const [name, sizes] = [INTS.listedName, INTS.nListedPages].map((id) => container.ints(id, n).toFloat64());
    const listed = container.ints(INTS.listedPage, container.sizeOf(INTS.listedPage)).toFloat64();
    let position = 0;
    for (let k = 0; k < n; k++) {
      const stop = position + sizes![k]!;
      for (; position < stop && names.has(name![k]!); position++) {
        pages.add(listed[position]!);
      }
      position = stop;
    }
  }
  return pages;
}

async function hitsOf(run: ArchivedRun, leaf: Leaf, wish: HitWish, span: TickSpan): Promise<NameHit[]> {
  const { tiles } = await run.page(leaf.page);
  const tile = tiles.find(({ track, index }) => track === leaf.track && index === leaf.index);
  return tile === undefined ? [] : [...hitsInTile(tile, wish, span)];
}

function* hitsInTile(tile: TileData, { names, after, isBackward }: HitWish, span: TickSpan): Generator<NameHit> {
  const { slices, track } = tile;
  for (let k = 0; k < slices.length; k++) {
    if (!names.has(slices.name[k]!) || (slices.flags[k]! & REACHES_IN) !== 0) {
      continue;
    }
    const start = sliceStart(tile, k);
    const hit = { start, track, ordinal: slices.ordinal[k]!, name: slices.name[k]!, row: slices.row[k]! };
    const order = after === null ? 0 : compareHits(hit, after);
    const isBeyond = after === null || (isBackward ? order < 0 : order > 0);
    if (isBeyond && start >= span.start && start < span.stop) {
      yield { ...hit, duration: sliceDuration(tile, k) };
    }
  }
}
