/** Where hits are marked on a track. Pure. */

import { ticks, type View, xOfTick } from "@tilescope/client";
import type { HitBins } from "../state/hit-bins";

export interface Strip {
  readonly fromPx: number;
  readonly toPx: number;
}

/** Narrower, a mark is not seen. */
const LEAST_PX = 2;

/** The bins with hits of a row that are on the screen, joined where they touch; each at least two pixels wide. */
export function hitStrips({ binTicks, starts }: HitBins, lane: string, view: View): readonly Strip[] {
  const found = (starts.get(lane) ?? [])
    .map((start) => {
      const fromPx = Math.floor(xOfTick(view, ticks(start)));
      const toPx = Math.ceil(xOfTick(view, ticks(start + binTicks)));
      return { fromPx, toPx: Math.max(toPx, fromPx + LEAST_PX) };
    })
    .filter(({ fromPx, toPx }) => toPx > 0 && fromPx < view.widthPx);
  const joined: { fromPx: number; toPx: number }[] = [];
  for (const strip of found) {
    const before = joined[joined.length - 1];
    if (before !== undefined && strip.fromPx <= before.toPx) {
      before.toPx = Math.max(before.toPx, strip.toPx);
    } else {
      joined.push({ ...strip });
    }
  }
  return joined;
}
