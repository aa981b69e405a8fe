/** The ways from a figure of the details into the timeline: what is selected stays so, unless a row is an event. */

import { type TickRange, ticks } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import type { Links } from "../answers/links";
import { useApp } from "../components/app-context";
import { drawnRange } from "../state/shifts";
import { type Trace, trackPath } from "../state/trace";

export function useLinks(trace: Trace): Links {
  const { viewNavigator, pages, pane } = useApp();
  return useMemo(
    () => ({
      time: trace.manifest.time,
      trackPath: (track) => trackPath(trace, track),
      goTo: (span, track) => {
        if (span !== null) {
          viewNavigator.zoomTo(withSurroundings(drawnRange(pane, track, span)));
        }
        if (track !== null) {
          viewNavigator.goToPlace(trace, null, track);
        }
      },
      goToEvent: (track, ordinal, span) => pages.goToEvent(track, ordinal, span),
    }),
    [trace, viewNavigator, pages, pane],
  );
}

/** Half of its length before it and after it: what it lies between. */
export function withSurroundings({ startTicks, endTicks }: TickRange): TickRange {
  const half = (endTicks - startTicks + 1n) / 2n;
  return { startTicks: ticks(startTicks - half), endTicks: ticks(endTicks + half) };
}
