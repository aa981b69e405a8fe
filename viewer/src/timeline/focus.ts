/** View to which F leads. Pure. */

import { centreOn, fit, type TickRange, ticks, type View, visibleRange, xOfTick } from "@tilescope/client";

/** Free space beside what is zoomed to, as a part of the width. */
const FIT_PADDING = 0.12;

/** A shorter way, as a part of the width, looks as if nothing had happened: near an edge of the run there is no other. */
const SHORT_WAY = 0.1;

/** A range with a little space beside it, or closer to a point of time where the range is empty. */
export function fitView(shown: View, range: TickRange, bounds: TickRange): View {
  if (range.endTicks > range.startTicks) {
    return fit(range, shown.widthPx, shown.widthPx * FIT_PADDING);
  }
  return centreOn({ ...shown, ticksPerPx: shown.ticksPerPx / 8 }, range.startTicks, bounds);
}

/** The range in the middle; zoomed to where it is there already, or as near to it as the run's edges allow. */
export function focusView(shown: View, range: TickRange, bounds: TickRange): View {
  const centred = centreOn(shown, ticks((range.startTicks + range.endTicks) / 2n), bounds);
  const wayPx = Math.abs(xOfTick(centred, visibleRange(shown).startTicks));
  return wayPx < SHORT_WAY * shown.widthPx ? fitView(shown, range, bounds) : centred;
}
