/** The lines of the list of runs: its head, folders, and what is known of each run. */

import type { Run } from "@tilescope/client";
import { fileOf, type RunColumn, type RunLine, type RunSorting } from "../state/run-list";
import { formatBytes, formatCount, formatDate, plural } from "./format";
import { DownIcon } from "./icons";
import { durationText, eventsText, StateTag } from "./run-entry";

/** Height of a line; as in runs.css. */
export const LINE_PX = 36;

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
        <th colSpan={COLUMNS.length} scope="rowgroup">
          <strong>{line.folder === "" ? "Served by themselves" : line.folder}</strong> {plural(line.count, "run")}
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
  const file = fileOf(run);
  return (
    <tr class="runs-run" aria-rowindex={index + 2}>
      <td class="runs-name">
        <a
          href={`?run=${encodeURIComponent(run.id)}`}
          data-line={index}
          tabIndex={isTabStop ? 0 : -1}
          title={[run.path, ...run.notes].join("\n")}
          onClick={choose}
        >
          {run.name}
        </a>
        {file !== "" && <span class="runs-file">{file}</span>}
      </td>
      <td class="runs-state">
        <StateTag run={run} />
      </td>
      {run.error !== null ? (
        <td class="runs-error" colSpan={4} title={run.error}>
          {run.error}
        </td>
      ) : (
        <>
          <td class="runs-duration">{durationText(run)}</td>
          <td class="runs-events" title={run.events === null ? "" : formatCount(run.events)}>
            {eventsText(run)}
          </td>
          <td class="runs-hosts" title={run.hosts.slice(0, 20).join("\n")}>
            {run.hosts.length > 0 ? formatCount(run.hosts.length) : ""}
          </td>
          <td class="runs-size">{formatBytes(run.sizeBytes)}</td>
        </>
      )}
      <td class="runs-when">{formatDate(run.modifiedNs)}</td>
    </tr>
  );
}
