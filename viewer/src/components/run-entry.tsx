/** A run as one entry of a list: its state and what is known of it, the same in the list of all and in the quick choice. */

import { formatDuration, type Run } from "@tilescope/client";
import { hostsOf } from "../state/run-list";
import { formatBytes, formatDate, formatPercent, formatShortCount, plural } from "./format";
import { CheckIcon } from "./icons";

/** Its index was made by another version; the server says so in a note. */
function isOutdated({ notes }: Run): boolean {
  return notes.some((note) => note.startsWith("its index is one of another version"));
}

/** Its job still writes it. */
function WritingTag({ run }: { run: Run }) {
  const title = `Still being written: ${formatBytes(run.sizeBytes)} so far. It is indexed when it is complete.`;
  return (
    <span class="tag is-busy" title={title}>
      being written
    </span>
  );
}

export function StateTag({ run }: { run: Run }) {
  switch (run.state) {
    case "ready":
      return null;
    case "new":
      return run.growing ? (
        <WritingTag run={run} />
      ) : (
        <span class="tag" title={run.notes.join("\n")}>
          {isOutdated(run) ? "old index" : "not indexed"}
        </span>
      );
    case "queued":
      return run.growing ? <WritingTag run={run} /> : <span class="tag is-busy">waiting</span>;
    case "indexing": {
      const title = run.build === null ? "" : "Opens what is indexed so far";
      return (
        <span class="tag is-busy" title={title}>
          {run.build === null ? "indexing" : "growing"} {formatPercent(run.progress?.fraction ?? 0)}
        </span>
      );
    }
    case "failed":
      return <span class="tag is-bad">failed</span>;
  }
}

/** `44.16 ms`; "" while it is not known. */
export function durationText({ durationPs }: Run): string {
  return durationPs === null ? "" : formatDuration(durationPs, 1);
}

/** `5.67 k`; "" while it is not known. */
export function eventsText({ events }: Run): string {
  return events === null ? "" : formatShortCount(events);
}

/** `removed after 2026-12-06 …`, of a run that a browser has sent; the server says so in a note. */
function removalText({ notes }: Run): string {
  const sent = "sent by a browser: ";
  return notes.find((note) => note.startsWith(sent))?.slice(sent.length) ?? "";
}

/** `12 steps · step trace, memory`: the steps of a run, what the files of a training on Ascend devices have, when it goes. */
export function contentsText(run: Run): string {
  const { contents, steps } = run;
  return [steps === null ? "" : plural(steps, "step"), contents.join(", "), removalText(run)]
    .filter(Boolean)
    .join(" · ");
}

export interface RunEntryProps {
  readonly run: Run;
  readonly isChosen: boolean;
  readonly role?: "menuitemradio";
  readonly onChoose: () => void;
}

export function RunEntry({ run, isChosen, role, onChoose }: RunEntryProps) {
  const checked = role === undefined ? {} : { role, "aria-checked": isChosen };
  const facts = [
    formatDate(run.modifiedNs),
    durationText(run),
    run.events === null ? "" : `${eventsText(run)} events`,
    hostsOf(run).length > 1 ? plural(hostsOf(run).length, "host") : "",
    formatBytes(run.sizeBytes),
    contentsText(run),
  ];
  return (
    <button type="button" class="menu-item" {...checked} title={run.path} onClick={onChoose}>
      <span>{isChosen && <CheckIcon />}</span>
      <span class="menu-name">{run.name}</span>
      <StateTag run={run} />
      {run.error !== null ? (
        <span class="menu-note is-bad">{run.error}</span>
      ) : (
        <span class="menu-note">{facts.filter(Boolean).join(" · ")}</span>
      )}
    </button>
  );
}
