/** Which run to look at: their list, and what is said where the one that was asked for shows nothing. */

import type { Manifest, Run } from "@tilescope/client";
import { useApp } from "./app-context";
import { Card } from "./card";
import { formatCount, plural } from "./format";
import { RunEntry } from "./run-entry";

export function RunChoice({ list }: { list: readonly Run[] }) {
  const app = useApp();
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

export interface RunItemsProps {
  readonly list: readonly Run[];
  /** The id of the run that is shown. */
  readonly chosen: string | null;
  readonly close: () => void;
}

/** The runs as entries of a menu. */
export function RunItems({ list, chosen, close }: RunItemsProps) {
  const app = useApp();
  if (list.length === 0) {
    return <p class="menu-note is-alone">No runs are here.</p>;
  }
  return (
    <>
      {list.map((run) => (
        <RunEntry
          key={run.id}
          run={run}
          isChosen={run.id === chosen}
          role="menuitemradio"
          onChoose={() => {
            close();
            app.openRun(run.id);
          }}
        />
      ))}
    </>
  );
}
