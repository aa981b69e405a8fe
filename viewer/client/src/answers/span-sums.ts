/** Sums over the slices of tracks in a span: from stored histograms where a tile lies within it, from leaves elsewhere. */

import { recordKey } from "../archive/keys";
import { ApiError } from "../net/error";
import { blockOf, slotOf } from "../pages/key";
import { NO_TILE, type ShapeIndex } from "../pages/shape";
import { type ArchivedRun, tileOn } from "./archived-run";
import { addHistogram } from "./histogram";
import { addLeaf } from "./leaf-sums";
import type { NameSums } from "./name-sums";

const HAS_HISTOGRAM = 16;
const TILE_LOG2 = 8n;

/** Pages that are read at once. */
const PAGES_AT_ONCE = 32;
/** Pages that an answer may read: a track of which outliers are left out has no histograms to go by. */
const MOST_PAGES = 2000;

/** Ticks `[start, stop)`. */
export interface TickSpan {
  readonly start: bigint;
  readonly stop: bigint;
}

export interface SummedTrack {
  readonly track: number;
  /** Group that all of the track is summed up under; null: each name by itself. */
  readonly group: number | null;
  /** Slices that are left out, by their ordinals. */
  readonly leftOut: ReadonlySet<number>;
}

interface Tile {
  readonly summed: SummedTrack;
  readonly shape: ShapeIndex;
  readonly position: number;
}

/** Adds the slices of tracks in a span. Rejects with ApiError where they are too many to be read here. */
export async function addSpan(
  run: ArchivedRun,
  sums: NameSums,
  tracks: readonly SummedTrack[],
  rootLevel: number,
  span: TickSpan,
): Promise<void> {
  const leaves: Tile[] = [];
  const roots = await Promise.all(
    tracks.map(async (summed) => {
      const shape = await run.shape(blockOf(summed.track));
      return { summed, shape, position: shape.find(slotOf(summed.track), rootLevel, 0) };
    }),
  );
  let opened: Tile[] = roots.filter(({ position }) => position !== NO_TILE);
  while (opened.length > 0) {
    const stored: Tile[] = [];
    const below: Tile[] = [];
    for (const tile of opened) {
      sortTile(tile, span, { stored, below, leaves });
    }
    const isAdded = await Promise.all(stored.map((tile) => addStored(run, sums, tile)));
    for (const tile of stored.filter((_, k) => !isAdded[k])) {
      openTile(tile, { below, leaves });
    }
    opened = below;
  }
  await addLeaves(run, sums, leaves, span);
}

function sortTile(
  tile: Tile,
  span: TickSpan,
  lists: { readonly stored: Tile[]; readonly below: Tile[]; readonly leaves: Tile[] },
): void {
  const { start, stop } = ticksOf(tile);
  if (start >= span.stop || stop <= span.start) {
    return;
  }
  const isWithin = start >= span.start && stop <= span.stop;
  const hasHistogram = (tile.shape.flagsAt(tile.position) & HAS_HISTOGRAM) !== 0;
  if (isWithin && hasHistogram && tile.summed.leftOut.size === 0) {
    lists.stored.push(tile);
  } else {
    openTile(tile, lists);
  }
}

/** Puts a tile among the leaves, or its children among those that are looked at next. */
function openTile(tile: Tile, { below, leaves }: { readonly below: Tile[]; readonly leaves: Tile[] }): void {
  const { summed, shape, position } = tile;
  if (shape.kindAt(position) === "leaf") {
    leaves.push(tile);
    return;
  }
  const first = 4 * shape.indexAt(position);
  for (const child of shape.range(slotOf(summed.track), shape.levelAt(position) - 1, first, first + 3)) {
    below.push({ summed, shape, position: child });
  }
}

function ticksOf({ shape, position }: Tile): TickSpan {
  const shift = BigInt(2 * shape.levelAt(position)) + TILE_LOG2;
  const index = BigInt(shape.indexAt(position));
  return { start: index << shift, stop: (index + 1n) << shift };
}

async function addStored(run: ArchivedRun, sums: NameSums, { summed, shape, position }: Tile): Promise<boolean> {
  const numbers = [summed.track, shape.levelAt(position), shape.indexAt(position)].map(BigInt);
  const [histogram, spread] = await Promise.all(["H", "Q"].map((letter) => run.content(recordKey(letter, numbers)!)));
  return addHistogram(sums, histogram!, spread!, summed.track, summed.group);
}

async function addLeaves(run: ArchivedRun, sums: NameSums, leaves: readonly Tile[], span: TickSpan): Promise<void> {
  const byPage = new Map<string, Tile[]>();
  for (const leaf of leaves) {
    const { block, level, index, slot } = leaf.shape.pageAt(leaf.position);
    const name = `${block}/${level}/${index}/${slot}`;
    byPage.set(name, [...(byPage.get(name) ?? []), leaf]);
  }
  if (byPage.size > MOST_PAGES) {
    throw new ApiError(
      422,
      "not_available",
      "This takes more of the archive than a page reads: choose a shorter range",
    );
  }
  const pages = [...byPage.values()];
  for (let first = 0; first < pages.length; first += PAGES_AT_ONCE) {
    await Promise.all(pages.slice(first, first + PAGES_AT_ONCE).map((tiles) => addPage(run, sums, tiles, span)));
  }
}

async function addPage(run: ArchivedRun, sums: NameSums, tiles: readonly Tile[], span: TickSpan): Promise<void> {
  const [{ shape, position }] = tiles as [Tile];
  const page = await run.page(shape.pageAt(position));
  for (const tile of tiles) {
    const { summed } = tile;
    const ticks = ticksOf(tile);
    const start = ticks.start > span.start ? ticks.start : span.start;
    const stop = ticks.stop < span.stop ? ticks.stop : span.stop;
    addLeaf(sums, tileOn(page, summed.track, tile.shape.indexAt(tile.position)), start, stop, (name, ordinal) =>
      summed.leftOut.has(ordinal) ? null : (summed.group ?? name),
    );
  }
}
