/** Details of slices that were picked one by one. */

import { signal } from "@preact/signals";
import type { EventDetails, Shifts } from "@tilescope/client";
import { perPane } from "./per-pane";

export interface Picked {
  readonly track: number;
  readonly ordinal: number;
  /** Null until it has been fetched. */
  readonly details: EventDetails | null;
  /** Reason why it could not be fetched, or "". */
  readonly message: string;
}

/** In the order in which they were picked; empty while fewer than two are. */
export const pickedSlices = perPane(() => signal<readonly Picked[]>([]));

export interface PickedSums {
  readonly sumTicks: bigint;
  readonly startTicks: bigint;
  readonly endTicks: bigint;
  readonly longestTicks: bigint;
  readonly shortestTicks: bigint;
}

/** Sums with the times as they are drawn; null until all of them are known. */
export function sumsOf(events: readonly Picked[], shifts: Shifts | null): PickedSums | null {
  const fetched = events.flatMap(({ track, details }) =>
    details === null
      ? []
      : [{ startTicks: details.startTicks + (shifts?.later(track) ?? 0n), durationTicks: details.durationTicks }],
  );
  const [first] = fetched;
  if (first === undefined || fetched.length < events.length) {
    return null;
  }
  let sums = {
    ...{ sumTicks: 0n, startTicks: first.startTicks, endTicks: first.startTicks },
    ...{ longestTicks: 0n, shortestTicks: first.durationTicks as bigint },
  };
  for (const { startTicks, durationTicks } of fetched) {
    const endTicks = startTicks + durationTicks;
    sums = {
      sumTicks: sums.sumTicks + durationTicks,
      startTicks: startTicks < sums.startTicks ? startTicks : sums.startTicks,
      endTicks: endTicks > sums.endTicks ? endTicks : sums.endTicks,
      longestTicks: durationTicks > sums.longestTicks ? durationTicks : sums.longestTicks,
      shortestTicks: durationTicks < sums.shortestTicks ? durationTicks : sums.shortestTicks,
    };
  }
  return sums;
}
