/** Asks which events are to be exported, says how many that are, and shows how far the export is. */

import { useSignal } from "@preact/signals";
import { formatDuration } from "@tilescope/client";
import { useEffect, useRef } from "preact/hooks";
import { formatBytes, plural } from "../components/format";
import { CloseIcon } from "../components/icons";
import { fileName, saveBlob, saveFrom } from "../components/save";
import type { Pane } from "../state/pane";
import type { Trace } from "../state/trace";
import { countOf, ExportRun, type ExportState } from "./export-run";
import {
  boundedBytes,
  estimatedBytes,
  exportQuestion,
  HELD_BYTES,
  PERFETTO_BYTES,
  type Scope,
  scopesOf,
} from "./scopes";
import "../styles/dialog.css";
import "./share.css";

interface Props {
  readonly pane: Pane;
  readonly trace: Trace;
  /** Null: Perfetto is not offered. */
  readonly perfettoUrl: string | null;
  readonly isForPerfetto: boolean;
  readonly onClose: () => void;
}

/** Number of events of each part; null where it could not be determined. */
type Counts = Readonly<Partial<Record<Scope["kind"], bigint | null>>>;

function sizeText(count: bigint | null | undefined, isWhole: boolean, hasLanes: boolean): string {
  if (count === undefined) {
    return "counting …";
  }
  const size = count === null ? "" : `, ${hasLanes ? "more than " : ""}about ${formatBytes(estimatedBytes(count))}`;
  return count === null
    ? ""
    : `${plural(count, "event")}${isWhole ? "" : count === 1n ? " starts in it" : " start in it"}${size}`;
}

function ScopeChoice(props: {
  scope: Scope;
  trace: Trace;
  counts: Counts;
  hasLanes: boolean;
  chosen: string;
  choose: () => void;
}) {
  const { scope, trace, counts, hasLanes, chosen, choose } = props;
  const { time, range } = trace.manifest;
  const { startTicks, endTicks } = scope.range ?? range;
  return (
    <label class="export-scope">
      <input type="radio" name="export-scope" checked={scope.kind === chosen} onChange={choose} />
      <span>{scope.title}</span>
      <span class="export-time">{formatDuration(endTicks - startTicks, time.tickPs)}</span>
      <span class="export-size">{sizeText(counts[scope.kind], scope.kind === "run", hasLanes)}</span>
    </label>
  );
}

function Progress({ state, expected }: { state: ExportState; expected: bigint | null }) {
  switch (state.kind) {
    case "idle":
      return null;
    case "failed":
      return (
        <p class="error-line" role="alert">
          {state.message}
        </p>
      );
    case "done":
      return (
        <p class="export-said" role="status">
          {state.what} {formatBytes(BigInt(state.bytes))}
        </p>
      );
    case "running": {
      const bytes = BigInt(state.bytes);
      const part = expected === null || expected === 0n ? 0 : Math.min(1, state.bytes / Number(expected));
      const estimate = expected === null ? "" : ` of about ${formatBytes(expected)}`;
      const percent = Math.round(part * 100);
      return (
        <>
          <div
            class="progress"
            role="progressbar"
            aria-label="Export"
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <div style={{ width: `${percent}%` }} />
          </div>
          <p class="export-said" aria-live="off">
            {state.waitsFor === "perfetto" ? "Waiting for Perfetto's page …" : `${formatBytes(bytes)}${estimate}`}
          </p>
        </>
      );
    }
  }
}

export function ExportDialog({ pane, trace, perfettoUrl, isForPerfetto, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const run = useRef<ExportRun>(new ExportRun()).current;
  const { range, name } = trace.manifest;
  const scopes = useRef(scopesOf(range, pane.visible.peek(), pane.selection.peek(), pane.selectedRange.peek())).current;
  const lanes = useRef([...pane.drawnLanes.peek().values()].flat().map(({ id }) => id)).current;
  const chosen = useSignal(scopes[0]!.kind);
  const hasLanes = useSignal(true);
  const counts = useSignal<Counts>({});
  useEffect(() => {
    dialog.current?.showModal();
    const abort = new AbortController();
    for (const scope of scopes) {
      countOf(trace, scope, abort.signal).then(
        (count) => {
          counts.value = { ...counts.value, [scope.kind]: count };
        },
        () => {
          counts.value = { ...counts.value, [scope.kind]: null };
        },
      );
    }
    return () => {
      abort.abort();
      run.cancel();
    };
  }, []);
  const scope = scopes.find(({ kind }) => kind === chosen.value)!;
  const count = counts.value[scope.kind] ?? null;
  const withLanes = hasLanes.value && lanes.length > 0;
  // Lanes are not counted: no part of a whole is shown with them.
  const expected = count === null || withLanes ? null : estimatedBytes(count);
  const bound = count === null ? null : boundedBytes(count, withLanes);
  const state = run.state.value;
  const isRunning = state.kind === "running";
  const title = fileName(name);
  const question = exportQuestion(scope, hasLanes.value ? lanes : []);
  const download = () => {
    if (bound !== null && bound > HELD_BYTES) {
      saveFrom(trace.api.exportUrl(question), `${title}.trace.json`);
      const what = `Among the browser's downloads now: ${withLanes ? "more than " : ""}about`;
      run.state.value = { kind: "done", bytes: Number(estimatedBytes(count!)), what };
      return;
    }
    void run.download(trace.api, question, (file) => saveBlob(file, `${title}.trace.json`));
  };
  const openPerfetto = () => {
    const target = window.open(perfettoUrl!, "_blank");
    if (target === null) {
      run.state.value = { kind: "failed", message: "The browser opened no window: allow this page to open some." };
      return;
    }
    void run.hand(trace.api, question, target, new URL(perfettoUrl!, location.href).origin, title);
  };
  const isTooLarge = bound !== null && bound > PERFETTO_BYTES;
  const offered = [
    <button
      key="download"
      type="button"
      class={isForPerfetto ? "button is-outlined" : "button is-primary"}
      disabled={isRunning}
      onClick={download}
    >
      Download
    </button>,
    perfettoUrl !== null && (
      <button
        key="perfetto"
        type="button"
        class={isForPerfetto ? "button is-primary" : "button is-outlined"}
        disabled={isRunning || isTooLarge}
        onClick={openPerfetto}
      >
        Open in Perfetto
      </button>
    ),
  ];
  return (
    <dialog ref={dialog} class="export-dialog" aria-label="Export events" onClose={onClose}>
      <div class="dialog-head">
        <h2>Export events</h2>
        <button type="button" class="button is-icon" aria-label="Close" onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </div>
      <div class="export-body">
        <fieldset class="export-scopes" disabled={isRunning}>
          <legend class="visually-hidden">Which events</legend>
          {scopes.map((entry) => (
            <ScopeChoice
              key={entry.kind}
              scope={entry}
              trace={trace}
              counts={counts.value}
              hasLanes={withLanes}
              chosen={chosen.value}
              choose={() => {
                chosen.value = entry.kind;
                run.cancel();
              }}
            />
          ))}
        </fieldset>
        {lanes.length > 0 && (
          <label class="export-lanes">
            <input
              type="checkbox"
              checked={hasLanes.value}
              disabled={isRunning}
              onChange={(event) => {
                hasLanes.value = event.currentTarget.checked;
                run.cancel();
              }}
            />
            <span>With the {plural(BigInt(lanes.length), "derived lane")} drawn now, marked as derived</span>
          </label>
        )}
        <p class="export-note">
          Trace-event JSON, which Perfetto, chrome://tracing and Tilescope open. Events that reach into the time are
          whole, with their arguments and flows{scope.tracks === null ? "; all tracks" : ""}.
          {pane.shifts.value !== null &&
            " Times, those of the span too, are as they were recorded: shifts of clocks are not added."}
        </p>
        {perfettoUrl !== null && (
          <p class="export-note">
            {isTooLarge
              ? `Perfetto's page holds all of a trace in memory: choose less than ${formatBytes(PERFETTO_BYTES)}.`
              : `${new URL(perfettoUrl, location.href).host} gets the events within this browser; nothing is uploaded.`}
          </p>
        )}
        <Progress state={state} expected={expected} />
        <div class="export-buttons">
          {isForPerfetto ? offered.reverse() : offered}
          <span class="topbar-space" />
          {isRunning && (
            <button type="button" class="button is-outlined" onClick={() => run.cancel()}>
              Cancel
            </button>
          )}
        </div>
      </div>
    </dialog>
  );
}
