/** The lines of the list of runs: its head, folders, and what is known of each run. */

import type { Run } from "@tilescope/client";
import { fileOf, hostsOf, type RunColumn, type RunLine, type RunSorting } from "../state/run-list";
import { RUN_PARAMETER } from "../state/site-archive";
import { formatBytes, formatCount, formatDate, plural } from "./format";
import { DownIcon } from "./icons";
import { contentsText, durationText, eventsText, StateTag } from "./run-entry";

/** Height of a line; as in runs.css. */
export const LINE_PX = 36;

const MOST_HOSTS = 20;

const COLUMNS: readonly { readonly id: RunColumn; readonly title: string }[] = [
  { id: "name", title: "Run" },
  { id: "state", title: "State" },
  { id: "duration", title: "Duration" },
  { id: "events", title: "Events" },
  { id: "hosts", title: "Hosts" },
  { id: "size", title: "Size" },
  { id: "when", title: "When" },
];

export function RunHead({ sorting, sort }: { sorting: RunSorting; sort: (column: RunColumn) => void }) {
  const order = sorting.isDescending ? "descending" : "ascending";
  return (
    <thead>
      <tr>
        {COLUMNS.map(({ id, title }) => {
          const isSorted = sorting.column === id;
          return (
            <th key={id} scope="col" class={`runs-${id}`} aria-sort={isSorted ? order : "none"}>
              <button type="button" class={isSorted ? `runs-sort is-${order}` : "runs-sort"} onClick={() => sort(id)}>
                {title}
                {isSorted && <DownIcon />}
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** All that is known of it; the hosts as far as one reads them. */
function titleOf(run: Run): string {
  const { path, error, notes, events } = run;
  const hosts = hostsOf(run);
  const named = hosts.length > MOST_HOSTS ? [...hosts.slice(0, MOST_HOSTS), "…"] : hosts;
  const counted = events === null ? "" : plural(events, "event");
  return [path, error ?? "", contentsText(run), counted, named.join(", "), ...notes].filter(Boolean).join("\n");
}

interface LineProps {
  readonly line: RunLine;
  readonly index: number;
  readonly isTabStop: boolean;
  readonly open: (run: Run) => void;
}

export function RunLineRow({ line, index, isTabStop, open }: LineProps) {
  if (line.kind === "folder") {
    return (
      <tr class="runs-folder" aria-rowindex={index + 2}>
        <th scope="rowgroup">
          <strong>{line.folder === "" ? "Single traces" : line.folder}</strong> {plural(line.count, "run")}
        </th>
      </tr>
    );
  }
  const { run } = line;
  const choose = (event: MouseEvent) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      open(run);
    }
  };
  const hosts = hostsOf(run).length;
  const beside = [fileOf(run), contentsText(run)].filter(Boolean).join(" · ");
  return (
    <tr class="runs-run" aria-rowindex={index + 2}>
      <td class="runs-name">
        <a
          href={`?${RUN_PARAMETER}=${encodeURIComponent(run.id)}`}
          data-line={index}
          tabIndex={isTabStop ? 0 : -1}
          title={titleOf(run)}
          onClick={choose}
        >
          {run.name}
        </a>
        {beside !== "" && <span class="runs-file">{beside}</span>}
      </td>
      <td class="runs-state">
        <StateTag run={run} />
      </td>
      {/* Over the columns that a run which failed has no figures for, as many as there are in a window of this width. */}
      <td class={run.error === null ? "runs-duration" : "runs-error"}>
        {run.error === null ? durationText(run) : <span>{run.error}</span>}
      </td>
      <td class="runs-events">{eventsText(run)}</td>
      <td class="runs-hosts">{run.error !== null || hosts === 0 ? "" : formatCount(hosts)}</td>
      <td class="runs-size">{run.error !== null ? "" : formatBytes(run.sizeBytes)}</td>
      <td class="runs-when">{formatDate(run.modifiedNs)}</td>
    </tr>
  );
}
