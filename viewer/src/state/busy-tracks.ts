/** The part of a run that shows first by its tracks alone, before any of its tiles is there. */

import { type TickRange, type Track, ticks } from "@tilescope/client";

/** A run is mostly empty when the others lie in this part of it … */
export const MAX_PART = 1 / 20;

/** … and when nothing runs for at least this part of the rest: a program's main function is not emptiness. */
export const MIN_EMPTY = 0.5;

export interface BusyRange extends TickRange {
  /** The part of the events that start in it. */
  readonly share: number;
  /** False where there are others like it, and it holds the most events of them. */
  readonly isOnly: boolean;
}

/** Tracks of instants with so few events are marks around the work, and no part of it. */
const FEW_INSTANTS = 16;
/** Blank ends of less than this part of the run stay. */
const MIN_BLANK = 1 / 25;

/**
 * The range of a run without lone instants before or behind all work, as profilers write them when they begin and end; null
 * where there is no such blank.
 */
export function rangeWithoutLoneInstants(
  tracks: Iterable<Pick<Track, "kind" | "events" | "firstTicks" | "lastTicks">>,
  run: TickRange,
): BusyRange | null {
  let range: TickRange | null = null;
  let all = 0;
  let lone = 0;
  for (const { kind, events, firstTicks, lastTicks } of tracks) {
    if (kind === "rollup" || events === 0n || firstTicks === undefined || lastTicks === undefined) {
      continue;
    }
    all += Number(events);
    if (kind === "instant" && events <= FEW_INSTANTS) {
      lone += Number(events);
      continue;
    }
    range = {
      startTicks: range === null || firstTicks < range.startTicks ? firstTicks : range.startTicks,
      endTicks: range === null || lastTicks > range.endTicks ? lastTicks : range.endTicks,
    };
  }
  const hasBlank = range !== null && range.endTicks > range.startTicks && part(range, run) < 1 - MIN_BLANK;
  return range !== null && hasBlank ? { ...range, share: 1 - lone / all, isOnly: true } : null;
}

/**
 * True if a track alone is busy for so much of the run that the run cannot be mostly empty, whatever the others do. It is busy for at least
 * a row's part of its durations: those of one row do not overlap.
 */
export function isBusyAllAlong(tracks: Iterable<Pick<Track, "busyTicks" | "rows" | "kind">>, run: TickRange): boolean {
  const enough = (MAX_PART + MIN_EMPTY * (1 - MAX_PART)) * Number(run.endTicks - run.startTicks);
  for (const { busyTicks, rows, kind } of tracks) {
    if (kind !== "rollup" && Number(busyTicks) / Math.max(1, rows) > enough) {
      return true;
    }
  }
  return false;
}

/** A range as a part of another. */
export function part(range: TickRange, whole: TickRange): number {
  return Number(range.endTicks - range.startTicks) / Number(ticks(whole.endTicks - whole.startTicks));
}
