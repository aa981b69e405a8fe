/**
 * From a slice to its neighbours. What is drawn answers where it leaves no doubt: the next slice that is drawn as itself
 * is the next one if no bin of that row lies between. Otherwise the server is asked event by event, so that no slice is
 * stepped over because it was too short to be drawn.
 */

import { binStart, type Coverage, sliceDuration, sliceStart, type TickRange, type TileData } from "@tilescope/client";

export interface Neighbour {
  readonly ordinal: number;
  readonly row: number;
  readonly startTicks: bigint;
  readonly endTicks: bigint;
}

export type Direction = "previous" | "next" | "parent" | "child";

/** One event by its ordinal, or null where there is none. */
export type Look = (ordinal: number) => Promise<Neighbour | null>;

/** What is drawn of the slice's track, and of which range. */
export interface Drawn {
  readonly coverage: Coverage;
  readonly range: TickRange;
}

/** Events that the server is asked for before a neighbour further away is given up. */
const MAX_LOOKS = 200;

/** The neighbour of a slice, or null where it has none (or none within reach). */
export async function neighbourOf(
  from: Neighbour,
  direction: Direction,
  drawn: Drawn,
  look: Look,
): Promise<Neighbour | null> {
  const candidate = drawnNeighbour(from, direction, drawn);
  if (candidate !== null) return candidate;
  const step = direction === "next" || direction === "child" ? 1 : -1;
  for (let ordinal = from.ordinal + step, looks = 0; ordinal >= 0 && looks < MAX_LOOKS; ordinal += step, looks++) {
    const found = await look(ordinal);
    if (found === null) return null;
    if (isNeighbour(from, found, direction)) return found;
    if (direction === "child" && found.startTicks >= from.endTicks) return null;
  }
  return null;
}

function isNeighbour(from: Neighbour, candidate: Neighbour, direction: Direction): boolean {
  const { row, ordinal, startTicks, endTicks } = candidate;
  switch (direction) {
    case "next":
      return row === from.row && ordinal > from.ordinal;
    case "previous":
      return row === from.row && ordinal < from.ordinal;
    case "parent":
      return row === from.row - 1 && startTicks <= from.startTicks && endTicks >= from.endTicks;
    case "child":
      return row === from.row + 1 && ordinal > from.ordinal && startTicks < from.endTicks;
  }
}

/** The neighbour as far as what is drawn is sure of it, or null. */
function drawnNeighbour(from: Neighbour, direction: Direction, { coverage, range }: Drawn): Neighbour | null {
  if (!coverage.complete) return null;
  let best: Neighbour | null = null;
  for (const { tile } of coverage.draws) {
    for (const candidate of slicesOf(tile, targetRow(from, direction))) {
      if (!isNeighbour(from, candidate, direction)) continue;
      const isNearer = best === null || (direction === "previous") === candidate.ordinal > best.ordinal;
      if (isNearer) best = candidate;
    }
  }
  if (best === null || direction === "parent") return best;
  const [gapStart, gapEnd] = gapOf(from, best, direction);
  const isVisible = gapStart >= range.startTicks && gapEnd <= range.endTicks;
  const row = targetRow(from, direction);
  return isVisible && !coverage.draws.some(({ tile }) => hasBinBetween(tile, row, gapStart, gapEnd)) ? best : null;
}

function targetRow(from: Neighbour, direction: Direction): number {
  return from.row + (direction === "parent" ? -1 : direction === "child" ? 1 : 0);
}

/** The time in which a nearer neighbour would have to lie. */
function gapOf(from: Neighbour, to: Neighbour, direction: Direction): readonly [bigint, bigint] {
  if (direction === "next") return [from.endTicks, to.startTicks];
  return direction === "previous" ? [to.endTicks, from.startTicks] : [from.startTicks, to.startTicks];
}

function* slicesOf(tile: TileData, wantedRow: number): Iterable<Neighbour> {
  const { ordinal, row, length } = tile.slices;
  for (let k = 0; k < length; k++) {
    if (row[k] !== wantedRow) continue;
    const startTicks = sliceStart(tile, k);
    yield { ordinal: ordinal[k]!, row: wantedRow, startTicks, endTicks: startTicks + sliceDuration(tile, k) };
  }
}

function hasBinBetween(tile: TileData, wantedRow: number, gapStart: bigint, gapEnd: bigint): boolean {
  const { bin, row, length } = tile.bins;
  for (let k = 0; k < length; k++) {
    if (row[k] !== wantedRow) continue;
    const startTicks = binStart(tile, bin[k]!);
    if (startTicks <= gapEnd && startTicks + BigInt(tile.binTicks) > gapStart) return true;
  }
  return false;
}
