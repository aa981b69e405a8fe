/**
 * Beginning and end of a counter, in pixel columns. A value holds until the next sample: before the first one and behind the run there is
 * none, and behind the last one it is unknown.
 */

import { type Ticks, type View, xOfTick } from "@tilescope/client";

export interface CounterEnds {
  /** Times of the first and the last sample; undefined while it is built. */
  readonly firstTicks: Ticks | undefined;
  readonly lastTicks: Ticks | undefined;
  /** End of the run. */
  readonly endTicks: Ticks;
}

/** Within `[fromPx, toPx)` it has a value, which is known before `knownToPx`. Columns of samples are within as a whole. */
export interface CounterPlace {
  readonly fromPx: number;
  readonly toPx: number;
  readonly knownToPx: number;
}

export function counterPlace(view: View, { firstTicks, lastTicks, endTicks }: CounterEnds): CounterPlace {
  const endPx = xOfTick(view, endTicks);
  const knownToPx = lastTicks === undefined ? Number.POSITIVE_INFINITY : Math.floor(xOfTick(view, lastTicks)) + 1;
  return {
    fromPx: firstTicks === undefined ? Number.NEGATIVE_INFINITY : Math.floor(xOfTick(view, firstTicks)),
    toPx: lastTicks === undefined ? endPx : Math.max(endPx, knownToPx),
    knownToPx,
  };
}
