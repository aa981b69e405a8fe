/** The slices in view as a table, in the place of the canvas: for those who read rather than look, and for screen readers. */

import { type TickRange, ticks } from "@tilescope/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { DataTable } from "../answers/data-table";
import { choicesFor } from "../answers/table-choices";
import { TableChoices } from "../answers/table-model";
import { useApp } from "../components/app-context";
import { formatCount, plural } from "../components/format";
import { CloseIcon } from "../components/icons";
import { focusSoon } from "../components/tree-focus";
import { withKeys } from "../keys/table";
import { Answered } from "../requests/states";
import { useRequest } from "../requests/use-request";
import type { Pane } from "../state/pane";
import { buildKey } from "../state/question-key";
import { lastOf } from "../state/request-state";
import { failure } from "../state/shell";
import { recordedRange } from "../state/shifts";
import type { Trace } from "../state/trace";
import { tracksOnScreen } from "../state/tracks-on-screen";
import { MixedClocks } from "./mixed-clocks";
import { isSliced, questionTracks } from "./question-tracks";
import { listMore, listSlices, type SliceListing } from "./slice-listing";
import { useLinks } from "./use-links";
import "../answers/answer.css";
import "../styles/slice-table.css";

const CHOICES = choicesFor("details.slices", () => new TableChoices(["event"]));

/** Within the run; the view may reach beyond it, and the last instant may be at its very end. */
function shownRange(pane: Pane): TickRange {
  const { startTicks, endTicks } = pane.visible.value;
  const run = pane.bounds.value;
  return {
    startTicks: startTicks > run.startTicks ? startTicks : run.startTicks,
    endTicks: ticks(endTicks <= run.endTicks ? endTicks : run.endTicks + 1n),
  };
}

function close(pane: Pane) {
  pane.isTableOpen.value = false;
  focusSoon(pane, ".timeline");
}

export function SliceTable({ trace }: { trace: Trace }) {
  const { pane, name } = useApp();
  const onScreen = tracksOnScreen(pane);
  const { range, isMixed } = recordedRange(pane.shifts.value, shownRange(pane), onScreen);
  const named = useMemo(
    () => questionTracks(trace.tracks, new Set(onScreen), isSliced),
    [trace.tracks, onScreen.join()],
  );
  useEffect(() => focusSoon(pane, ".slice-table"), [pane]);
  return (
    <section
      class="slice-table answer"
      aria-label={`Table view ${name}`.trim()}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) {
          event.preventDefault();
          event.stopPropagation();
          close(pane);
        }
      }}
    >
      {named.kind === "none" || named.kind === "tooMany" ? (
        <Head
          text={
            named.kind === "none"
              ? "No track with slices is on the screen: scroll in the tree, or open a group."
              : "Too many separate tracks are on the screen for one request: close groups, or hide tracks."
          }
        />
      ) : (
        <>
          {isMixed && <MixedClocks />}
          <Listed trace={trace} range={range} tracks={named.kind === "all" ? undefined : named.text} />
        </>
      )}
    </section>
  );
}

function Head({ text, isStale = false }: { text: string; isStale?: boolean }) {
  const { pane } = useApp();
  return (
    <div class="slice-table-head">
      <p role="status" class={isStale ? "is-stale" : ""}>
        {text}
      </p>
      <button
        type="button"
        class="button is-icon"
        aria-label="Back to the timeline"
        title={withKeys("Back to the timeline", "toggle-table")}
        onClick={() => close(pane)}
      >
        <CloseIcon />
      </button>
    </div>
  );
}

interface ListedProps {
  readonly trace: Trace;
  readonly range: TickRange;
  readonly tracks: string | undefined;
}

function Listed({ trace, range, tracks }: ListedProps) {
  const { api, manifest } = trace;
  const key = [buildKey(manifest), range.startTicks, range.endTicks, tracks].join(" ");
  const request = useRequest(key, (signal) => listSlices(api, range, tracks, signal), true);
  const { state } = request;
  const answer = state.kind === "failed" ? null : (lastOf(state)?.answer ?? null);
  const [longer, setLonger] = useState<{ readonly first: SliceListing; readonly listing: SliceListing } | null>(null);
  const links = useLinks(trace);
  const app = useApp();
  const { pane } = app;
  const isStale = state.kind === "waiting";
  // Rows of the view before lead nowhere; inert they would lose the focus with each step of a zoom by keys.
  const leading = useMemo(
    () => ({
      ...links,
      goTo: isStale ? () => undefined : links.goTo,
      goToEvent: (track: number, ordinal: number) => {
        if (!isStale) {
          close(pane);
          app.viewNavigator.goTo(track, ordinal);
        }
      },
    }),
    [links, app, isStale],
  );
  if (answer === null) {
    return (
      <>
        <Head text={state.kind === "waiting" ? "Loading the slices in view" : ""} />
        <Answered request={request}>{() => null}</Answered>
      </>
    );
  }
  const listing = longer?.first === answer ? longer.listing : answer;
  const more = async () => {
    try {
      const next = await listMore(api, listing, new AbortController().signal);
      setLonger({ first: answer, listing: next });
    } catch (error) {
      failure.value = `The rows that follow cannot be fetched: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  return (
    <>
      <Head text={summaryOf(listing)} isStale={isStale} />
      <div class={isStale ? "slice-table-rows is-stale" : "slice-table-rows"} aria-busy={isStale}>
        <DataTable
          table={listing.table}
          links={leading}
          choices={CHOICES}
          head={null}
          onMore={() => void (isStale || more())}
        />
      </div>
    </>
  );
}

function summaryOf({ starts, reachIn, table, isComplete }: SliceListing): string {
  const listed = BigInt(table.columns[0]?.values.length ?? 0);
  const all = starts + BigInt(reachIn);
  const parts = [`${plural(all, "slice")} in view`];
  if (reachIn > 0) {
    parts.push(
      `${formatCount(starts)} of them start${starts === 1n ? "s" : ""} there, ${formatCount(reachIn)} reach in`,
    );
  }
  if (listed < all) {
    parts.push(`the first ${formatCount(listed)} by start are listed`);
  }
  return `${parts.join("; ")}.${isComplete ? "" : " The run is still being indexed: these are of the tracks that are done."}`;
}
