/** Events of a track by their ordinals: which leaf has one, and where in it. */

import { FormatError } from "../pages/error";
import { blockOf, MAX_LEVEL, slotOf } from "../pages/key";
import type { ShapeIndex } from "../pages/shape";
import type { TileData } from "../pages/tile";
import { type ArchivedRun, tileOn } from "./archived-run";

/** Leaves of a track in time order: their positions in the shape, and how many events start in them and those before. */
interface Leaves {
  readonly positions: readonly number[];
  readonly ends: Float64Array;
}

const BINS_LOG2 = 8;

const kept = new WeakMap<ShapeIndex, Map<number, Leaves>>();

function leavesOf(shape: ShapeIndex, slot: number): Leaves {
  const bySlot = kept.get(shape) ?? new Map<number, Leaves>();
  kept.set(shape, bySlot);
  let leaves = bySlot.get(slot);
  if (leaves === undefined) {
    // Exact: the first tick of a tile is a whole number below 2**53, times a power of two.
    const startOf = (position: number) => shape.indexAt(position) * 2 ** (2 * shape.levelAt(position) + BINS_LOG2);
    const positions = shape
      .levels(slot)
      .flatMap((level) => [...shape.range(slot, level, 0, Number.MAX_SAFE_INTEGER)])
      .filter((position) => shape.kindAt(position) === "leaf")
      .sort((a, b) => startOf(a) - startOf(b));
    const ends = new Float64Array(positions.length);
    let sum = 0;
    for (const [k, position] of positions.entries()) {
      sum += shape.eventsAt(position);
      ends[k] = sum;
    }
    leaves = { positions, ends };
    bySlot.set(slot, leaves);
  }
  return leaves;
}

/** A leaf, and the place of an event in its columns. */
export interface PlacedEvent {
  readonly tile: TileData;
  readonly row: number;
}

/** Place of an event of a track. Rejects with FormatError where the archive does not have it as it should. */
export async function placeOfEvent(run: ArchivedRun, track: number, ordinal: number): Promise<PlacedEvent> {
  const shape = await run.shape(blockOf(track));
  const { positions, ends } = leavesOf(shape, slotOf(track));
  const position = positions[firstAbove(ends, ordinal)];
  if (position === undefined || shape.levelAt(position) > MAX_LEVEL) {
    throw new FormatError(`track ${track} has no leaf with event ${ordinal}`);
  }
  const tile = tileOn(await run.page(shape.pageAt(position)), track, shape.indexAt(position));
  const column = tile.samples.length > 0 ? tile.samples.ordinal : tile.slices.ordinal;
  const row = column.indexOf(ordinal);
  if (row < 0) {
    throw new FormatError(`track ${track}: event ${ordinal} is not in its leaf`);
  }
  return { tile, row };
}

/** The first place whose value is above another, of values that ascend. */
function firstAbove(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! > value) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
