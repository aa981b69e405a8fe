/** What the page shows instead of a timeline: the list of runs, waiting, failures, an empty trace. */

import type { Manifest, Run } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { growth } from "../state/growth";
import { runs, runsProblem } from "../state/runs";
import { useApp } from "./app-context";
import { formatCount, formatPercent, formatSecondsLeft, phaseText, plural } from "./format";
import { RunEntry } from "./run-entry";

function Card({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="message">
      <div class="message-card">
        <h2>{title}</h2>
        {children}
      </div>
    </div>
  );
}

export function RunListMessage() {
  const app = useApp();
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
  if (list.length === 0) {
    return (
      <Card title="No runs here yet">
        <p>
          Neither an XSpace (<code>.xplane.pb</code>) nor a trace-event JSON was found in what is served. Put one there
          and look again.
        </p>
        <button type="button" class="button is-primary" onClick={() => app.refreshRuns()}>
          Look again
        </button>
      </Card>
    );
  }
  return (
    <Card title="Choose a run">
      <p>{plural(list.length, "run")}, newest first.</p>
      <ul class="run-list">
        {list.map((run) => (
          <li key={run.id}>
            <RunEntry run={run} isChosen={false} onChoose={() => app.openRun(run.id)} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function OpeningMessage() {
  const problem = runsProblem.value;
  return <Card title="Opening …">{problem !== null && <p>{problem}. Trying again.</p>}</Card>;
}

export function UnknownRunMessage({ id }: { id: string }) {
  const app = useApp();
  return (
    <Card title="There is no such run">
      <p>
        This server does not offer <strong>{id}</strong>. It may have been moved or deleted.
      </p>
      <button type="button" class="button is-primary" onClick={() => app.openRun(null)}>
        Show all runs
      </button>
    </Card>
  );
}

export function IndexingMessage({ run }: { run: Run }) {
  // The watch knows more, and sooner, than the list of runs.
  const progress = growth.value ?? run.progress;
  const fraction = progress?.fraction ?? 0;
  const events = progress?.events ?? 0n;
  const secondsLeft = progress?.secondsLeft ?? null;
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

export function EmptyMessage({ manifest }: { manifest: Manifest }) {
  const app = useApp();
  const ignored = Object.entries(manifest.ignored);
  // The server says it, too: the title is enough.
  const warnings = manifest.warnings.filter((warning) => !warning.startsWith("the trace is empty"));
  return (
    <Card title="This trace is empty">
      <p>
        {manifest.name} was read to its end ({manifest.files.join(", ")}) and holds no events.
      </p>
      {(warnings.length > 0 || ignored.length > 0) && (
        <ul class="warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
          {ignored.map(([reason, count]) => (
            <li key={reason}>
              {formatCount(count)} ignored: {reason.replace(/_/g, " ")}
            </li>
          ))}
        </ul>
      )}
      <button type="button" class="button is-outlined" onClick={() => app.openRun(null)}>
        Show all runs
      </button>
    </Card>
  );
}
