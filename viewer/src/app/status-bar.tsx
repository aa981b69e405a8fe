/** One honest line about what is on the screen. */

import { formatDuration } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { useApp } from "../components/app-context";
import { eventsInView, formatBytes, formatCount, plural } from "../components/format";
import { delayed, fate, link } from "../state/link";
import { page } from "../state/page";
import type { Pane } from "../state/pane";
import { NOTHING } from "../state/selection";
import { failure, unreadParts } from "../state/shell";
import { timeText } from "../state/time-format";
import { totalsOf } from "../state/totals";
import type { Trace } from "../state/trace";

const IN_BINS = "Point at a bin for the exact number of its events, and their exact busy time.";

const COUNTED =
  "Events of the tracks on the screen, in the time that is shown; of closed groups, those that their header sums up: slices. " +
  "Events that reach in began before the visible time and still run in it.";

const AT_EDGES =
  "Two numbers where a bin lies across an edge of the time that is shown: some of its events start outside.";

/** Memory that the page uses for the run, and its limit. */
function memoryText(pane: Pane): string {
  const memory = pane.session.peek()?.client.memory;
  return memory === undefined
    ? ""
    : `In memory: ${formatBytes(BigInt(memory.usedBytes))} of the run, at most ${formatBytes(BigInt(memory.limitBytes))}`;
}

/** Trouble between the page and its server, or null: the banner says it, too, until it is closed. */
function apart(): ComponentChildren {
  if (link.value.kind === "down") {
    return (
      <span title="The server does not answer. Loaded data stay visible.">
        <i class="status-dot is-bad" />
        Disconnected
      </span>
    );
  }
  if (link.value.kind === "slow") {
    return (
      <span title="Still connected, waiting for an answer. Loaded data stay visible.">
        <i class="status-dot is-busy" />
        The server is slow to answer
      </span>
    );
  }
  if (delayed.value > 0) {
    return (
      <span title="The server refused, or an answer was lost. Trying again, at growing intervals.">
        <i class="status-dot is-busy" />
        The server is busy: {plural(delayed.value, "question")} asked again
      </span>
    );
  }
  if (fate.value !== "same") {
    return (
      <span>
        <i class="status-dot is-busy" />
        {fate.value === "vanished" ? "This run is gone from the server" : "This run was replaced"}
      </span>
    );
  }
  return null;
}

function Progress() {
  const { pane } = useApp();
  const { missingPages, connection, provisional } = pane.drawStatus.value;
  const problem = pane.problems.value.values().next().value;
  const parted = apart();
  if (parted !== null) {
    return <>{parted}</>;
  }
  if (problem !== undefined) {
    return (
      <span title={problem}>
        <i class="status-dot is-bad" />
        {problem}
      </span>
    );
  }
  if (failure.value !== "") {
    return (
      <span title={failure.value}>
        <i class="status-dot is-bad" />
        {failure.value}
      </span>
    );
  }
  if (connection === "connecting") {
    return (
      <span>
        <i class="status-dot is-busy" />
        Connecting …
      </span>
    );
  }
  if (provisional > 0) {
    return (
      <span>
        <i class="status-dot is-busy" />
        {plural(provisional, "track")} on the screen still to be built
      </span>
    );
  }
  const isMarking = pane.pending.value.size > 0;
  const lanes = pane.waitingLanes.value.size;
  return (
    <span title={memoryText(pane)}>
      <i class={missingPages > 0 || lanes > 0 || isMarking ? "status-dot is-busy" : "status-dot"} />
      {missingPages > 0
        ? `Loading ${plural(missingPages, "page")} …`
        : lanes > 0
          ? `Loading ${plural(lanes, "lane")} …`
          : isMarking
            ? "Marking hits …"
            : "Exact"}
      {connection === "polling" && " (without WebSocket)"}
    </span>
  );
}

/** Parts of the link that say nothing, until the next step. */
function Unread() {
  const parts = unreadParts.value;
  if (parts.length === 0) {
    return null;
  }
  const shown = parts
    .slice(0, MOST_PARTS)
    .map((part) => (part.length > LONGEST_PART ? `${part.slice(0, LONGEST_PART)}…` : part));
  const more = parts.length > MOST_PARTS ? ` and ${parts.length - MOST_PARTS} more` : "";
  return (
    <span data-status="unread" role="alert" title={parts.join("\n")}>
      <i class="status-dot is-bad" />
      Not understood in the link: {shown.join(", ")}
      {more}
    </span>
  );
}

const LONGEST_PART = 40;
const MOST_PARTS = 8;

/** Opens the drawer with what is known about the run as a whole. */
function showRunFacts(pane: Pane): void {
  pane.selection.value = NOTHING;
  pane.isDrawerOpen.value = true;
}

/** Start and end of what is visible of the run: the view may reach a little beyond its ends. */
function VisibleSpan({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const { time, range } = trace.manifest;
  const { startTicks, endTicks } = pane.visible.value;
  const start = startTicks > range.startTicks ? startTicks : range.startTicks;
  const end = endTicks < range.endTicks ? endTicks : range.endTicks;
  const texts = [start, end].map((ticks) => formatDuration(ticks, time.tickPs));
  // All digits where a few do not tell them apart.
  const isClose = texts[0] === texts[1] || pane.shownFormat.value !== "relative";
  const [from, to] = isClose ? [timeText(pane, start, time), timeText(pane, end, time)] : texts;
  return (
    <span class="status-visible" title="Start and end of the visible time">
      {from} to {to}
    </span>
  );
}

/** Events on all tracks; pointing at it tells what the files hold beside them. */
function EventCount({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const { format, storeBytes } = trace.manifest;
  const { events, tracks, inFiles } = totalsOf(trace);
  const held = inFiles.map(([name, count]) => `${formatCount(count)} ${name}`);
  return (
    <span
      class="status-whole"
      title={[`In the files (${format}; index of ${formatBytes(storeBytes)}):`, ...held].join("\n")}
    >
      Whole run: {plural(pane.growth.value?.events ?? events, "event")} on {plural(tracks, "track")}
    </span>
  );
}

export function StatusBar() {
  const { pane } = useApp();
  const view = pane.runView.value;
  if (view.kind !== "open") {
    return <footer class="statusbar">{apart()}</footer>;
  }
  const { manifest } = view.trace;
  if (page.value.tool !== null) {
    return (
      <footer class="statusbar">
        {apart()}
        <Unread />
        {manifest.state === "indexing" && <span>Figures are of the tracks that are indexed so far</span>}
        <span class="status-space" />
        <EventCount trace={view.trace} />
      </footer>
    );
  }
  const { binTicks, events, missingPages, provisional } = pane.drawStatus.value;
  const ignored = Object.values(manifest.ignored).reduce((sum, count) => sum + count, 0n);
  return (
    <footer class="statusbar">
      <Progress />
      <Unread />
      <span data-status="resolution" title={binTicks === null ? undefined : IN_BINS}>
        {missingPages > 0
          ? "Preview: a coarser zoom level"
          : binTicks === null && provisional > 0
            ? "Preview: not indexed yet"
            : binTicks === null
              ? "Every event drawn"
              : `Short events in bins of ${formatDuration(binTicks, manifest.time.tickPs)}`}
      </span>
      <span data-status="events" title={events?.isExact === false ? `${COUNTED}\n${AT_EDGES}` : COUNTED}>
        {events === null ? "… events start on the screen" : eventsInView(events)}
      </span>
      {(manifest.warnings.length > 0 || ignored > 0n) && (
        <span>
          <button type="button" class="status-button" onClick={() => showRunFacts(pane)}>
            {manifest.warnings.length > 0
              ? plural(manifest.warnings.length, "warning")
              : `${formatCount(ignored)} ignored`}
          </button>
        </span>
      )}
      <span class="status-space" />
      <VisibleSpan trace={view.trace} />
      <EventCount trace={view.trace} />
    </footer>
  );
}
