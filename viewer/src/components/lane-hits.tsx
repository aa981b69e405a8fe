/** Names of a search in the derived lanes that are drawn, apart from those of events; each leads to its next slice. */

import { formatDuration, formatExactDuration, minus, plus } from "@tilescope/client";
import { useEffect } from "preact/hooks";
import { type LaneName, laneSearch, nextSlice } from "../state/lane-search";
import type { DerivedLane } from "../state/lanes";
import type { Pane } from "../state/pane";
import { query } from "../state/query";
import { lastOf } from "../state/request-state";
import { searchState } from "../state/search";
import type { Trace } from "../state/trace";
import { useApp } from "./app-context";
import { formatCount, plural } from "./format";

/** Their number, for the line that says how many events are found. */
export function LaneCount() {
  const { pane } = useApp();
  const answer = pane.drawnLanes.value.size === 0 ? null : (lastOf(laneSearch(pane).names.value)?.answer ?? null);
  const count = (answer?.names ?? []).reduce((sum, entry) => sum + entry.count, 0n);
  const soFar = answer?.isComplete === false ? " so far" : "";
  return count === 0n ? null : (
    <span>
      {plural(count, "slice")} in derived lanes{soFar}
    </span>
  );
}

function searchedLanes(pane: Pane): readonly DerivedLane[] {
  return [...pane.drawnLanes.value.values()].flat().filter(({ kind }) => kind === "slices");
}

/** Searches the lanes that are drawn, whether the result is on the screen or not: they light what is found. */
export function useLaneSearch(trace: Trace): void {
  const { pane } = useApp();
  const lanes = searchedLanes(pane);
  const ids = lanes.map(({ id }) => id).join(",");
  const text = query.value;
  useEffect(() => laneSearch(pane).ask(trace, text, lanes), [trace, text, ids]);
}

export function LaneHits({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const ids = searchedLanes(pane)
    .map(({ id }) => id)
    .join(",");
  const state = laneSearch(pane).names.value;
  if (ids !== "" && state.kind === "failed") {
    return (
      <p class="search-line is-bad" role="alert">
        Derived lanes are not searched: {state.failure.message}
      </p>
    );
  }
  const answer = ids === "" ? null : (lastOf(state)?.answer ?? null);
  const entries = answer?.names ?? [];
  if (answer === null || (entries.length === 0 && answer.isComplete)) {
    return null;
  }
  return (
    <div class="search-names">
      <table aria-label="Names in derived lanes">
        <thead>
          <tr>
            <th scope="col">In derived lanes</th>
            <th scope="col">Slices</th>
            <th scope="col">Total</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <LaneLine key={`${entry.lane}\n${entry.name}`} trace={trace} entry={entry} />
          ))}
        </tbody>
      </table>
      {!answer.isComplete && <p class="search-line">Derived lanes: so far, the run is still being indexed.</p>}
    </div>
  );
}

function LaneLine({ trace, entry }: { trace: Trace; entry: LaneName }) {
  const app = useApp();
  const { pane } = app;
  const { tickPs } = trace.manifest.time;
  const goOn = async () => {
    const chosen = pane.selection.peek();
    const from = chosen.kind === "area" ? plus(chosen.range.startTicks, 1n) : pane.visible.peek().startTicks;
    const range = await nextSlice(trace, entry, query.peek(), from > 0n ? from : 0n).catch(() => null);
    const lane = [...pane.drawnLanes.peek().values()].flat().find(({ id }) => id === entry.lane);
    if (range === null || lane === undefined) {
      searchState(pane).walkNote.value = "There is no slice to go to.";
      return;
    }
    app.viewNavigator.select({ kind: "area", range, tracks: new Set(lane.makers) });
    // With as much on both sides of it.
    const room = minus(range.endTicks, range.startTicks);
    app.viewNavigator.zoomTo({ startTicks: minus(range.startTicks, room), endTicks: plus(range.endTicks, room) });
  };
  return (
    <tr>
      <td>
        <button
          type="button"
          class="search-name"
          title={`${entry.name}: to its next slice in the lane “${entry.title}”, which is derived from events`}
          onClick={() => void goOn()}
        >
          <span>{entry.name}</span>
          <small>{entry.title} · derived</small>
        </button>
      </td>
      <td>{formatCount(entry.count)}</td>
      <td title={formatExactDuration(entry.busyTicks, tickPs)}>{formatDuration(entry.busyTicks, tickPs)}</td>
    </tr>
  );
}
