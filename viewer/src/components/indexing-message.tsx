/** Progress of a run that is indexed, in the place of a timeline. */

import type { Run } from "@tilescope/client";
import { useApp } from "./app-context";
import { Card } from "./card";
import { formatBytes, formatCount, formatPercent, formatSecondsLeft, phaseText } from "./format";

export function IndexingMessage({ run }: { run: Run }) {
  const { pane } = useApp();
  // The watch knows more, and sooner, than the list of runs.
  const progress = pane.growth.value ?? run.progress;
  const fraction = progress?.fraction ?? 0;
  const events = progress?.events ?? 0n;
  const secondsLeft = progress?.secondsLeft ?? null;
  if (run.growing) {
    return (
      <Card title={`${run.name} is still being written`}>
        <p role="status">{formatBytes(run.sizeBytes)} so far. It is indexed as soon as it has stopped to grow.</p>
      </Card>
    );
  }
  if (run.state === "queued" && run.error !== null) {
    return (
      <Card title={`Opening ${run.name} …`}>
        <p role="status">It takes long to open. It is shown as soon as it is there.</p>
      </Card>
    );
  }
  return (
    <Card title={run.state === "indexing" ? `Indexing ${run.name}` : `${run.name} is waiting to be indexed`}>
      <div
        class="progress"
        role="progressbar"
        aria-label="Indexing"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(fraction * 100)}
      >
        <div style={{ width: `${fraction * 100}%` }} />
      </div>
      <p>
        {formatPercent(fraction)}
        {progress !== null && ` · ${phaseText(progress.phase)}`}
        {events > 0n && ` · ${formatCount(events)} events so far`}
        {secondsLeft !== null && ` · ${formatSecondsLeft(secondsLeft)}`}
      </p>
      <p>This happens once. The trace can be seen while it is indexed, and later opens at once, whatever its size.</p>
    </Card>
  );
}
