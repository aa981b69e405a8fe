/** Says that what is shown first is not all of a run that is mostly empty or has outliers, and leads to these and to the whole. */

import { formatDuration, type Outlier, type Outliers } from "@tilescope/client";
import { withKeys } from "../keys/table";
import { nameOf } from "../state/session";
import type { Trace } from "../state/trace";
import { useApp } from "./app-context";
import { CloseIcon } from "./icons";
import { percentDigits } from "./percent";

export function BusyNote({ trace }: { trace: Trace }) {
  const app = useApp();
  const { pane } = app;
  const part = pane.busyPart.value;
  if (part === null) {
    return null;
  }
  const { range, time, outliers } = trace.manifest;
  const length = formatDuration(part.endTicks - part.startTicks, time.tickPs);
  const share = part.share === 1 ? "All" : `${percentDigits(part.share, 1)}\u202f%`;
  const whole = formatDuration(range.endTicks - range.startTicks, time.tickPs);
  return (
    <div class="note" role="status">
      <span>
        This trace spans <strong>{whole}</strong>
        {outliers ? "" : ", mostly empty"}. {share} of its events lie in these <strong>{length}</strong>.
        {outliers ? <OutlierText trace={trace} outliers={outliers} /> : null}
      </span>
      <button type="button" class="button is-outlined" onClick={() => app.act("fit-run")}>
        {withKeys("Show the whole trace", "fit-run")}
      </button>
      <button
        type="button"
        class="button is-icon"
        aria-label="Close this note"
        onClick={() => {
          pane.busyPart.value = null;
        }}
      >
        <CloseIcon />
      </button>
    </div>
  );
}

/** Number of events that figures leave out, with a link to one of them. */
function OutlierText({ trace, outliers }: { trace: Trace; outliers: Outliers }) {
  const app = useApp();
  const { pane } = app;
  const count = outliers.before + outliers.after + outliers.tooLong + outliers.overruns;
  const first = outliers.events[0];
  return (
    <>
      {" "}
      {count === 1n ? "1 event is" : `${count} events are`} left out of figures
      {first === undefined ? "" : ": "}
      {first === undefined ? null : (
        <button type="button" class="link" onClick={() => app.pages.goToEvent(first.track, Number(first.ordinal))}>
          {nameOf(pane, first.name) ?? "an event"}
        </button>
      )}
      {first === undefined ? "" : ` ${reasonText(first, outliers, trace.manifest.time.tickPs)}`}.
    </>
  );
}

function reasonText(event: Outlier, outliers: Outliers, tickPs: number): string {
  const length = formatDuration(event.endTicks - event.startTicks, tickPs);
  switch (event.reason) {
    case "before":
      return `lies ${formatDuration(outliers.startTicks - event.startTicks, tickPs)} before all else`;
    case "after":
      return `lies ${formatDuration(event.startTicks - outliers.endTicks, tickPs)} after all else`;
    case "too_long":
      return `lasts ${length}, far longer than all else`;
    case "overrun":
      return `of ${length} lasts beyond the starts of ${event.later ?? 0n} later kernels of its stream`;
  }
}
