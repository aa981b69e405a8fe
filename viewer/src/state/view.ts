/** The visible part of the run: of its time and of its tracks. */

import { computed, signal } from "@preact/signals";
import { fit, type TickRange, ticks, type View, visibleRange } from "@tilescope/client";

export function viewState() {
  /** The whole run: what the view cannot leave. */
  const bounds = signal<TickRange>({ startTicks: ticks(0), endTicks: ticks(1) });
  const view = signal<View>({ startTicks: ticks(0), startFraction: 0, ticksPerPx: 1, widthPx: 1 });
  /** Scroll positions of the tracks and of the pinned ones, and the height that is visible. */
  const scroll = signal<{ readonly topPx: number; readonly pinnedTopPx: number; readonly heightPx: number }>({
    ...{ topPx: 0, pinnedTopPx: 0, heightPx: 0 },
  });
  const visible = computed<TickRange>(() => visibleRange(view.value));
  return { bounds, view, scroll, visible };
}

export type ViewState = ReturnType<typeof viewState>;

/** Free space beside a run that is shown as a whole, as a part of the width. */
export const RUN_PADDING = 0.02;

/** A view of all of a range, with a little space beside it. */
export function wholeView(range: TickRange, widthPx: number): View {
  return fit(range, widthPx, widthPx * RUN_PADDING);
}
