/** Says that what is shown first is the busy part of a run that is mostly empty, and leads to the whole. */

import { formatDuration } from "@tilescope/client";
import { withKeys } from "../keys/table";
import { busyPart } from "../state/first-view";
import type { Trace } from "../state/trace";
import { useApp } from "./app-context";
import { CloseIcon } from "./icons";

export function BusyNote({ trace }: { trace: Trace }) {
  const app = useApp();
  const part = busyPart.value;
  if (part === null) {
    return null;
  }
  const { range, time } = trace.manifest;
  const length = formatDuration(part.endTicks - part.startTicks, time.tickPs);
  // Rounded down: nearly all is not all.
  const share = part.share === 1 ? "All" : `${Math.floor(1000 * part.share) / 10}\u202f%`;
  const whole = formatDuration(range.endTicks - range.startTicks, time.tickPs);
  return (
    <div class="note" role="status">
      <span>
        This trace spans <strong>{whole}</strong>, mostly empty. {share} of its events lie in these{" "}
        <strong>{length}</strong>.
      </span>
      <button type="button" class="button is-outlined" onClick={() => app.act("fit-run")}>
        {withKeys("Show the whole trace", "fit-run")}
      </button>
      <button
        type="button"
        class="button is-icon"
        aria-label="Close this note"
        onClick={() => {
          busyPart.value = null;
        }}
      >
        <CloseIcon />
      </button>
    </div>
  );
}
