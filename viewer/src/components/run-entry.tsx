/** A run as one entry of a list: name, state, where it lies. */

import type { Run } from "@tilescope/client";
import { formatBytes, formatDate, formatPercent } from "./format";
import { CheckIcon } from "./icons";

function StateTag({ run }: { run: Run }) {
  switch (run.state) {
    case "ready":
      return null;
    case "new":
      return <span class="tag">not indexed</span>;
    case "queued":
      return <span class="tag is-busy">waiting</span>;
    case "indexing":
      return <span class="tag is-busy">indexing {formatPercent(run.progress?.fraction ?? 0)}</span>;
    case "failed":
      return <span class="tag is-bad">failed</span>;
  }
}

export interface RunEntryProps {
  readonly run: Run;
  readonly isChosen: boolean;
  readonly role?: "menuitemradio";
  readonly onChoose: () => void;
}

export function RunEntry({ run, isChosen, role, onChoose }: RunEntryProps) {
  const checked = role === undefined ? {} : { role, "aria-checked": isChosen };
  return (
    <button type="button" class="menu-item" {...checked} onClick={onChoose}>
      <span>{isChosen && <CheckIcon />}</span>
      <span class="menu-name">{run.name}</span>
      <StateTag run={run} />
      {run.error !== null ? (
        <span class="menu-note is-bad">{run.error}</span>
      ) : (
        <span class="menu-note">
          {formatDate(run.modifiedNs)} · {run.hosts.length > 1 ? `${run.hosts.length} hosts · ` : ""}
          {formatBytes(run.sizeBytes)} · {run.path}
        </span>
      )}
    </button>
  );
}
