/**
 * The busy part of a run whose extent is mostly empty, such as a trace with one event days before the rest: what is
 * shown first, so that one does not start in front of an empty screen.
 */

import { fit, type StillClient, type TickRange, type TrackRequest, ticks } from "@tilescope/client";
import { type BusyRange, MAX_PART, MIN_EMPTY, part } from "./busy-tracks";

/** Events that start in `[startTicks, endTicks)`; 0 where one only runs there. */
export interface CountedSpan {
  readonly startTicks: bigint;
  readonly endTicks: bigint;
  readonly count: number;
}

/** The part of the events that may lie outside of what is shown first. */
const OUTSIDE = 0.01;

/** Work in several stretches: they hold all but a tenth of the events, in a quarter of the run at most. */
const STRETCHES = { outside: 0.1, maxPart: 1 / 4, minGap: 1 / 50 } as const;

/** The part of a stretch's events that may lie outside of what is shown of it, where the others lie in this part of it. */
const OUTSIDE_STRETCH = 0.1;
const MAX_PART_OF_STRETCH = 1 / 3;

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
 * The stretch of a run that holds the most events, where they lie in a few that are far apart; null: they do not. `spans` as those of
 * `shortestRange`.
 */
export function densestStretch(spans: readonly CountedSpan[], run: TickRange): (TickRange & { count: number }) | null {
  const length = Number(run.endTicks - run.startTicks);
  const stretches: { startTicks: bigint; endTicks: bigint; count: number }[] = [];
  const byStart = spans.filter(({ count }) => count > 0).sort((a, b) => compare(a.startTicks, b.startTicks));
  for (const span of byStart) {
    const last = stretches.at(-1);
    if (last === undefined || Number(span.startTicks - last.endTicks) > STRETCHES.minGap * length) {
      stretches.push({ ...span });
    } else {
      last.endTicks = span.endTicks > last.endTicks ? span.endTicks : last.endTicks;
      last.count += span.count;
    }
  }
  const all = stretches.reduce((sum, { count }) => sum + count, 0);
  const byCount = stretches.toSorted((a, b) => b.count - a.count);
  let held = 0;
  let heldTicks = 0;
  for (const { startTicks, endTicks, count } of byCount) {
    if (held >= (1 - STRETCHES.outside) * all) {
      break;
    }
    held += count;
    heldTicks += Number(endTicks - startTicks);
  }
  const [first] = byCount;
  return first === undefined || heldTicks > STRETCHES.maxPart * length
    ? null
    : { startTicks: ticks(first.startTicks), endTicks: ticks(first.endTicks), count: first.count };
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
  let left = 0;
  let isOnly = true;
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
      const stretch = densestStretch(spans, run);
      if (stretch === null || !isMostlyEmpty(perRollup, stretch, run, STRETCHES.maxPart)) {
        return null;
      }
      isOnly = false;
      left = all - stretch.count;
      outside = Math.floor(OUTSIDE_STRETCH * stretch.count);
      range = stretch;
      continue;
    }
    const isWorthIt =
      look === 0 ? part(exact, run) >= MAX_PART : part(closer, exact) < (isOnly ? MAX_PART : MAX_PART_OF_STRETCH);
    const next = isWorthIt ? closer : exact;
    const cut = countOutside(spans, next);
    outside -= cut;
    left += cut;
    const isClose = part(next, range) > 0.5;
    range = next;
    if (isClose) {
      break;
    }
  }
  const { startTicks, endTicks } = range;
  return { startTicks, endTicks, share: 1 - left / all, isOnly };
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

function isMostlyEmpty(
  perRollup: readonly CountedSpan[][],
  range: TickRange,
  run: TickRange,
  maxPart = MAX_PART,
): boolean {
  if (part(range, run) >= maxPart) {
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

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
