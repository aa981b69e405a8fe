/**
 * The busy part of a run whose extent is mostly empty, such as a trace with one event days before the rest: what is
 * shown first, so that one does not start in front of an empty screen.
 */

import { fit, type StillClient, type TickRange, type Track, type TrackRequest, ticks } from "@tilescope/client";

/** Events that start in `[startTicks, endTicks)`; 0 where one only runs there. */
export interface CountedSpan {
  readonly startTicks: bigint;
  readonly endTicks: bigint;
  readonly count: number;
}

/** The part of the events that may lie outside of what is shown first. */
const OUTSIDE = 0.01;

/** A run is mostly empty when the others lie in this part of it … */
const MAX_PART = 1 / 20;

/** … and when nothing runs for at least this part of the rest: a program's main function is not emptiness. */
const MIN_EMPTY = 0.5;

export interface BusyRange extends TickRange {
  /** The part of the events that start in it, 0.99 to 1. */
  readonly share: number;
}

/** Resolution of each look, in bins of one to four pixels. */
const WIDTH_PX = 1024;

/** Each look is at least twice as close as the one before: more than enough from 2**61 ticks down to one. */
const MAX_LOOKS = 40;

/**
 * The shortest range that holds all spans but for at most `outside` events. `spans` in time order, without overlaps of
 * one another except between tracks; spans count whole.
 */
export function shortestRange(spans: readonly CountedSpan[], outside: number): TickRange | null {
  const byStart = spans.filter(({ count }) => count > 0).sort((a, b) => compare(a.startTicks, b.startTicks));
  const byEnd = [...byStart].sort((a, b) => compare(a.endTicks, b.endTicks));
  let best: TickRange | null = null;
  let before = 0;
  for (let first = 0; first < byStart.length && before <= outside; first++) {
    let rest = outside - before;
    let last = byEnd.length - 1;
    while (last > 0 && byEnd[last]!.count <= rest) {
      rest -= byEnd[last]!.count;
      last -= 1;
    }
    const startTicks = ticks(byStart[first]!.startTicks);
    const endTicks = ticks(byEnd[last]!.endTicks);
    if (endTicks > startTicks && (best === null || endTicks - startTicks < best.endTicks - best.startTicks)) {
      best = { startTicks, endTicks };
    }
    before += byStart[first]!.count;
  }
  return best;
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

/** The busy part, closer and closer; null where the run is not mostly empty. Rejects when something cannot be loaded. */
export async function findBusyRange(
  client: Pick<StillClient, "complete" | "coverage">,
  rollups: readonly TrackRequest[],
  run: TickRange,
): Promise<BusyRange | null> {
  let range = run;
  let all = 0;
  let outside = 0;
  for (let look = 0; look < MAX_LOOKS; look++) {
    const perRollup = await spansIn(client, rollups, range);
    const spans = perRollup.flat();
    if (look === 0) {
      all = spans.reduce((sum, { count }) => sum + count, 0);
      outside = Math.floor(OUTSIDE * all);
    }
    // Events are left out where that brings one much closer, and not to shave off the edges of a burst.
    const exact = shortestRange(spans, 0);
    const closer = shortestRange(spans, outside);
    if (exact === null || closer === null) {
      return null;
    }
    if (look === 0 && !isMostlyEmpty(perRollup, closer, run)) {
      return null;
    }
    const isWorthIt = look === 0 ? part(exact, run) >= MAX_PART : part(closer, exact) < MAX_PART;
    const next = isWorthIt ? closer : exact;
    outside -= countOutside(spans, next);
    const isClose = part(next, range) > 0.5;
    range = next;
    if (isClose) {
      break;
    }
  }
  return { ...range, share: 1 - (Math.floor(OUTSIDE * all) - outside) / all };
}

function countOutside(spans: readonly CountedSpan[], { startTicks, endTicks }: TickRange): number {
  const left = spans.filter((span) => span.startTicks < startTicks || span.endTicks > endTicks);
  return left.reduce((sum, { count }) => sum + count, 0);
}

async function spansIn(
  client: Pick<StillClient, "complete" | "coverage">,
  rollups: readonly TrackRequest[],
  range: TickRange,
): Promise<CountedSpan[][]> {
  const view = fit(range, WIDTH_PX);
  await client.complete(rollups, view);
  return rollups.map((request) =>
    client.coverage(request, view).draws.flatMap(({ tile }) => {
      const { bin, count, length } = tile.bins;
      const width = BigInt(tile.binTicks);
      return Array.from({ length }, (_, k) => {
        const startTicks = tile.originTicks + BigInt(bin[k]!) * width;
        return { startTicks, endTicks: startTicks + width, count: count[k]! };
      }).filter((span) => span.endTicks > range.startTicks && span.startTicks < range.endTicks);
    }),
  );
}

function isMostlyEmpty(perRollup: readonly CountedSpan[][], range: TickRange, run: TickRange): boolean {
  if (part(range, run) >= MAX_PART) {
    return false;
  }
  const rest = Number(run.endTicks - run.startTicks) - Number(range.endTicks - range.startTicks);
  return perRollup.every((spans) => {
    const busy = spans
      .filter((span) => span.endTicks <= range.startTicks || span.startTicks >= range.endTicks)
      .reduce((sum, { startTicks, endTicks }) => sum + Number(endTicks - startTicks), 0);
    return busy <= (1 - MIN_EMPTY) * rest;
  });
}

function part(range: TickRange, whole: TickRange): number {
  return Number(range.endTicks - range.startTicks) / Number(ticks(whole.endTicks - whole.startTicks));
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
