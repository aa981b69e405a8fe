/** Content of the page in the place of a timeline: the list of runs, waiting, failures, an empty trace. */

import type { Run } from "@tilescope/client";
import { runs, runsProblem } from "../state/runs";
import { useApp } from "./app-context";
import { Card } from "./card";
import { formatBytes, formatCount, formatPercent, formatSecondsLeft, phaseText } from "./format";
import { useLoaded } from "./use-loaded";

const loadRunChoice = async () => (await import("./run-choice")).RunChoice;

function LateRunChoice({ list }: { list: readonly Run[] }) {
  const RunChoice = useLoaded("run-choice", loadRunChoice);
  return RunChoice.kind === "ready" ? <RunChoice.value list={list} /> : <Card title="Looking for runs …" />;
}

export function RunListMessage() {
  const list = runs.value;
  const problem = runsProblem.value;
  if (list === null) {
    return problem === null ? (
      <Card title="Looking for runs …" />
    ) : (
      <Card title="The server does not answer">
        <p>{problem}. Trying again.</p>
      </Card>
    );
  }
  return <LateRunChoice list={list} />;
}

export function OpeningMessage() {
  const problem = runsProblem.value;
  return <Card title="Opening …">{problem !== null && <p>{problem}. Trying again.</p>}</Card>;
}

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

export function FailedMessage({ id, name, message }: { id: string; name: string; message: string }) {
  const app = useApp();
  return (
    <Card title={`${name} cannot be shown`}>
      <p class="error-line" role="alert">
        {message}
      </p>
      <button type="button" class="button is-primary" onClick={() => app.retryRun(id)}>
        Try again
      </button>{" "}
      <button type="button" class="button is-outlined" onClick={() => app.openRun(null)}>
        Show all runs
      </button>
    </Card>
  );
}
