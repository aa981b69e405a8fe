/** Rank of the selected slice among those of its name, and the ways to the one before and the one after it. */

import { type EventDetails, formatDuration } from "@tilescope/client";
import { useApp } from "../components/app-context";
import { formatPercent, plural } from "../components/format";
import { withKeys } from "../keys/table";
import { useTool } from "../requests/use-request";
import { isGrowing } from "../state/answer-values";
import type { Trace } from "../state/trace";
import { CannotFetch, SkeletonRows } from "./notices";
import { barHeights, binOf, type Rank, rankText, readRank } from "./rank";

interface Props {
  readonly trace: Trace;
  readonly details: EventDetails;
}

/** So many ranks are at hand again at once. */
const KEPT = 100;

export function RankPanel({ trace, details }: Props) {
  // Asked anew with each slice, and given up when another one is selected.
  const question = { track: details.track, ordinal: details.ordinal };
  const request = useTool(trace, "rank", question, false, KEPT);
  const { state } = request;
  if (state.kind === "failed") {
    return (
      <section>
        <h3>Among those of its name</h3>
        <CannotFetch failure={state.failure} retry={request.again} />
      </section>
    );
  }
  if (state.kind !== "answered") {
    // Not that of the slice before: its figures would stand beside those of this one. What is below stays in its place.
    const isSlow = state.kind === "waiting" && state.patience !== "quiet";
    return <div class="rank-pending">{isSlow && <SkeletonRows widths={[64, 92]} />}</div>;
  }
  const { answer } = state;
  const rank = readRank(answer);
  return rank.count === 0n ? null : (
    <section data-panel="rank">
      <div class="section-head">
        <h3 title="Of all slices of its name and category in the run">{rankText(rank)}</h3>
        {rank.count > 1n && <NameWalk />}
      </div>
      {isGrowing(answer) && <p class="aside">The run is still being indexed: this is of the tracks that are done.</p>}
      {rank.count > 1n && <Spread rank={rank} tickPs={trace.manifest.time.tickPs} />}
    </section>
  );
}

function NameWalk() {
  const app = useApp();
  return (
    <span class="order-switch">
      <button
        type="button"
        class="button is-small"
        title={withKeys("Previous slice of this name on its track", "previous-of-name")}
        onClick={() => app.act("previous-of-name")}
      >
        Previous
      </button>
      <button
        type="button"
        class="button is-small"
        title={withKeys("Next slice of this name on its track", "next-of-name")}
        onClick={() => app.act("next-of-name")}
      >
        Next
      </button>
    </span>
  );
}

function Spread({ rank, tickPs }: { rank: Rank; tickPs: number }) {
  const here = binOf(rank, rank.durationTicks);
  const heights = barHeights(rank);
  const text = (ticks: bigint) => formatDuration(ticks, tickPs);
  const share = (count: bigint) => formatPercent(Number(count) / Number(rank.count));
  return (
    <>
      <p class="rank-facts">
        median {text(rank.medianTicks)}
        {rank.isMedianExact ? "" : " ±1 %"}, mean {text(rank.meanTicks)}, together {text(rank.totalTicks)}
      </p>
      <div
        class="rank-bars"
        role="img"
        aria-label={`Durations from ${text(rank.shortestTicks)} to ${text(rank.longestTicks)}${
          here < 0 ? "" : `; ${plural(rank.bins[here]!.count, "slice")} about as long as this one`
        }`}
      >
        {rank.bins.map(({ leastTicks, mostTicks, count }, k) => (
          <span
            key={leastTicks.toString()}
            class={k === here ? "is-here" : ""}
            title={`${text(leastTicks)} to ${text(mostTicks)}: ${plural(count, "slice")}, ${share(count)}`}
          >
            <span style={{ height: `${heights[k]}%` }} />
          </span>
        ))}
      </div>
      <p class="rank-ends" aria-hidden="true">
        <span>{text(rank.shortestTicks)}</span>
        <span>{text(rank.longestTicks)}</span>
      </p>
    </>
  );
}
