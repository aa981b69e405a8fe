/**
 * From a slice to its neighbours. Tiles that are loaded answer where they hold the events themselves; where they hold
 * bins, the server is asked event by event, so that no slice is stepped over because it was too short to be drawn.
 */

import type { DrawTile } from "../pages/coverage";
import { sliceDuration, sliceStart } from "../pages/tile";

export interface Neighbour {
  readonly ordinal: number;
  readonly row: number;
  readonly startTicks: bigint;
  readonly endTicks: bigint;
}

export type Direction = "previous" | "next" | "parent" | "child";

/** One event by its ordinal, or null where there is none. */
export type Look = (ordinal: number) => Promise<Neighbour | null>;

/** Events that the server is asked for before a neighbour further away is given up. */
const MAX_LOOKS = 200;

/** The neighbour of a slice, or null where it has none (or none within reach). */
export async function neighbourOf(
  from: Neighbour,
  direction: Direction,
  draws: readonly DrawTile[],
  look: Look,
): Promise<Neighbour | null> {
  const step = direction === "next" || direction === "child" ? 1 : -1;
  const accepts = (candidate: Neighbour) => isNeighbour(from, candidate, direction);
  const loaded = loadedNeighbour(from, step, draws, accepts);
  if (loaded !== undefined) return loaded;
  for (let ordinal = from.ordinal + step, looks = 0; ordinal >= 0 && looks < MAX_LOOKS; ordinal += step, looks++) {
    const candidate = await look(ordinal);
    if (candidate === null) return null;
    if (accepts(candidate)) return candidate;
    if (direction === "child" && candidate.startTicks >= from.endTicks) return null;
  }
  return null;
}

function isNeighbour(from: Neighbour, candidate: Neighbour, direction: Direction): boolean {
  switch (direction) {
    case "next":
    case "previous":
      return candidate.row === from.row;
    case "parent":
      return (
        candidate.row === from.row - 1 && candidate.startTicks <= from.startTicks && candidate.endTicks >= from.endTicks
      );
    case "child":
      return candidate.row === from.row + 1 && candidate.startTicks < from.endTicks;
  }
}

/** The nearest accepted slice in the leaf tile that holds `from`, or undefined where only the server knows. */
function loadedNeighbour(
  from: Neighbour,
  step: 1 | -1,
  draws: readonly DrawTile[],
  accepts: (candidate: Neighbour) => boolean,
): Neighbour | undefined {
  for (const { tile } of draws) {
    if (tile.kind !== "leaf") continue;
    const { ordinal, row, length } = tile.slices;
    const at = ordinal.indexOf(from.ordinal);
    if (at < 0) continue;
    for (let k = at + step; k >= 0 && k < length; k += step) {
      // Slices that reach in from the left are not consecutive: what lies between them is in another tile.
      if (Math.abs(ordinal[k]! - ordinal[k - step]!) !== 1) break;
      const startTicks = sliceStart(tile, k);
      const candidate = {
        ordinal: ordinal[k]!,
        row: row[k]!,
        startTicks,
        endTicks: startTicks + sliceDuration(tile, k),
      };
      if (accepts(candidate)) return candidate;
    }
  }
  return undefined;
}
