/** Choice of a run: the list, and a message where the run that was asked for shows nothing. */

import { useSignal } from "@preact/signals";
import type { Manifest, Run } from "@tilescope/client";
import { useLayoutEffect, useRef } from "preact/hooks";
import { keysOf, type PaneIntent } from "../keys/table";
import { page } from "../state/page";
import { folderOf, groupedRuns, linesOf, NEWEST_FIRST } from "../state/run-list";
import { runs } from "../state/runs";
import { sameNamed } from "../state/same-named";
import { useApp } from "./app-context";
import { Card } from "./card";
import { formatCount, plural } from "./format";
import { RunEntry } from "./run-entry";
import { RunPage } from "./run-page";

/** Runs of the name in a link that are offered. */
const MOST_OTHERS = 5;

export function RunChoice({ list }: { list: readonly Run[] }) {
  const app = useApp();
  if (list.length === 0) {
    return (
      <Card title="No runs here yet">
        <p>
          Neither an XSpace (<code>.xplane.pb</code>) nor a trace-event JSON was found in what is served. Put one there
          and look again, open one from this computer, or capture one from a running job.
        </p>
        <button type="button" class="button is-primary" onClick={() => app.refreshRuns()}>
          Look again
        </button>{" "}
        <button type="button" class="button is-outlined" onClick={() => app.act("open-file")}>
          Open a file …
        </button>{" "}
        <button type="button" class="button is-outlined" onClick={() => app.act("show-capture")}>
          Capture …
        </button>
      </Card>
    );
  }
  return <RunPage list={list} />;
}

export function UnknownRunMessage({ id }: { id: string }) {
  const app = useApp();
  const others = sameNamed(runs.value ?? [], id).slice(0, MOST_OTHERS);
  return (
    <Card title="There is no such run">
      <p>
        This server does not offer <strong>{id}</strong>. It may have been moved or deleted, or the link is from another
        server.
        {others.length > 0 && " Here are runs of the same name: one of them may be it."}
      </p>
      {others.map((run) => (
        <p key={run.id}>
          <a href={`?run=${encodeURIComponent(run.id)}${location.hash}`}>Open {run.name} at the place of the link</a>
        </p>
      ))}
      <button type="button" class="button is-primary" onClick={() => app.openRun(null)}>
        Show all runs
      </button>
    </Card>
  );
}

export function EmptyMessage({ manifest }: { manifest: Manifest }) {
  const app = useApp();
  const ignored = Object.entries(manifest.ignored);
  const written = manifest.events.total;
  // The server says it, too: the title is enough.
  const warnings = manifest.warnings.filter((warning) => !warning.startsWith("the trace is empty"));
  return (
    <Card title={written === 0n ? "This trace is empty" : "No event of this trace could be read"}>
      <p>
        {manifest.name} was read to its end ({manifest.files.join(", ")}) and holds{" "}
        {written === 0n ? "no events" : `${plural(written, "event")}, none of which can be shown`}.
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

/** Opens a second timeline. */
function SplitItem({ intent, name, close }: { intent: PaneIntent; name: string; close: () => void }) {
  const app = useApp();
  return (
    <button
      type="button"
      class="menu-item"
      role="menuitem"
      onClick={() => {
        close();
        app.act(intent);
      }}
    >
      <span />
      <span class="menu-name">{name}</span>
      <kbd>{keysOf(intent)}</kbd>
    </button>
  );
}

/** So many runs are entries of the menu; the others are found by the filter, or in the list of all. */
const MOST_ENTRIES = 60;

/** With so few there is nothing to look for. */
const FEW = 8;

/** The runs as entries of a menu, by their folders. Whoever types, looks for something. */
export function RunItems({ list, chosen, close }: RunItemsProps) {
  const app = useApp();
  const { pane } = app;
  const filter = useSignal("");
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (filter.value !== "") {
      box.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
    }
  }, [filter.value]);
  if (list.length === 0) {
    return <p class="menu-note is-alone">There are no runs here.</p>;
  }
  const lines = linesOf(groupedRuns(list, filter.value, NEWEST_FIRST));
  const isParted = new Set(list.map(folderOf)).size > 1;
  const shown = lines.slice(0, MOST_ENTRIES).filter((line) => line.kind === "run" || isParted);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const before = filter.peek();
    if (event.key.length === 1 && (event.key !== " " || before !== "")) {
      event.preventDefault();
      filter.value = before + event.key;
    } else if (event.key === "Backspace") {
      event.preventDefault();
      filter.value = before.slice(0, -1);
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it catches what is typed on its entries
    <div role="presentation" ref={box} onKeyDown={onKeyDown}>
      {list.length > FEW && (
        <p class="run-filter" role="presentation">
          {filter.value === "" ? "Type to filter" : `With “${filter.value}”`}
        </p>
      )}
      {shown.map((line) =>
        line.kind === "folder" ? (
          <p key={`folder ${line.folder}`} class="run-folder" role="presentation">
            {line.folder === "" ? "Single traces" : line.folder}
          </p>
        ) : (
          <RunEntry
            key={line.run.id}
            run={line.run}
            isChosen={line.run.id === chosen}
            role="menuitemradio"
            onChoose={() => {
              close();
              app.openRun(line.run.id);
            }}
          />
        ),
      )}
      {lines.length === 0 && <p class="menu-note is-alone">No run is found.</p>}
      <button
        type="button"
        class="menu-item"
        role="menuitem"
        onClick={() => {
          close();
          app.openRun(null);
        }}
      >
        <span />
        <span class="menu-name">{list.length > FEW ? `All ${formatCount(list.length)} runs …` : "List of runs …"}</span>
      </button>
      {pane.runView.value.kind === "open" && page.value.tool === null && (
        <>
          <SplitItem intent="split-beside" name="Second timeline beside this one" close={close} />
          <SplitItem intent="split-below" name="Second timeline below this one" close={close} />
        </>
      )}
    </div>
  );
}
