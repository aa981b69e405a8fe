/** The derived lanes of the tracks that are on the screen, each below the rows of its track. */

import { useApp } from "../components/app-context";
import "./lanes.css";
import { useEffect } from "preact/hooks";
import { laneHeightPx } from "../state/lanes";
import { HEADER_PX, itemsBetween, type LayoutItem, pinnedBetween, screenTopPx, stickyHeader } from "../state/layout";
import { retries } from "../state/link";
import type { Trace } from "../state/trace";
import { LaneGraph } from "./lane-graph";

export function LaneLayer({ trace }: { readonly trace: Trace }) {
  const { pane } = useApp();
  const times = retries.value;
  useEffect(() => void pane.laneLoader.want(trace), [trace, times]);
  const { topPx, pinnedTopPx } = pane.scrolled.value;
  const { pinnedPx } = pane.layout.value;
  const sticky = stickyHeader(pane.layout.value, topPx);
  const upperPx = pinnedPx + (sticky === null ? 0 : Math.max(0, HEADER_PX + sticky.offsetPx));
  const state = pane.laneRequest.value;
  const missing = state.kind === "failed" ? state.failure.message : pane.laneNotes.value.join(" ");
  return (
    <>
      <div class="lanes" style={{ top: `${upperPx}px` }}>
        <Lanes
          trace={trace}
          items={itemsBetween(pane.layout.value, topPx + pinnedPx, topPx + pane.scroll.value.heightPx)}
          upperPx={upperPx}
        />
      </div>
      {pinnedPx > 0 && (
        <div class="lanes" style={{ top: 0, height: `${pinnedPx}px` }}>
          <Lanes trace={trace} items={pinnedBetween(pane.layout.value, pinnedTopPx)} upperPx={0} />
        </div>
      )}
      {missing !== "" && <p class="lanes-failure">Derived lanes: {missing}</p>}
    </>
  );
}

function Lanes({ trace, items, upperPx }: { trace: Trace; items: readonly LayoutItem[]; upperPx: number }) {
  const { pane } = useApp();
  return (
    <>
      {items.flatMap((item) => {
        let topPx = screenTopPx(item, pane.scrolled.value) - upperPx;
        topPx += item.kind === "track" ? item.rowsPx : 0;
        return (item.kind === "track" ? (pane.drawnLanes.value.get(item.node.track.id) ?? []) : []).map((lane) => {
          const placePx = topPx;
          topPx += laneHeightPx(lane);
          const isOnScreen = placePx + laneHeightPx(lane) > 0 && placePx < pane.scroll.value.heightPx - upperPx;
          return isOnScreen ? <LaneGraph key={lane.id} trace={trace} lane={lane} topPx={placePx} /> : null;
        });
      })}
    </>
  );
}
