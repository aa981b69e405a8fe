/** Content of the page in the place of a timeline: the list of runs, waiting, failures. */

import type { Run } from "@tilescope/client";
import { runs, runsProblem } from "../state/runs";
import { useApp } from "./app-context";
import { Card } from "./card";
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
