/** The panel that shows how a running job does, over whatever else one looks at. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { plural } from "../components/format";
import { CloseIcon } from "../components/icons";
import { type MonitorRow, rowsOf } from "./figures";
import type { MonitorRun, MonitorState } from "./monitor-run";
import { sparkPaths } from "./sparkline";
import { capitalised } from "./words";
import "./monitor.css";

/** So wide that one sees a line come from the right. */
const FEWEST_PLACES = 30;

const SPARK = { widthPx: 168, heightPx: 34 } as const;

interface Props {
  readonly run: MonitorRun;
  /** Hosts that may be meant, the likeliest first. */
  readonly hosts: readonly string[];
  readonly onCapture: () => void;
  readonly onStop: () => void;
}

function Row({ row }: { row: MonitorRow }) {
  const { line, band, dot } = sparkPaths(row.values, SPARK);
  const { widthPx, heightPx } = SPARK;
  return (
    <div class="monitor-row" data-row={row.id}>
      <dt>{row.name}</dt>
      <dd class="monitor-figure">
        <span class="monitor-value">{row.text ?? "–"}</span>
        <span class="monitor-range">{row.text === null ? row.missing : row.range}</span>
      </dd>
      <dd class="monitor-spark">
        <svg
          class="spark"
          viewBox={`0 0 ${widthPx} ${heightPx}`}
          role="img"
          aria-label={`${row.name} of late: ${row.spoken}`}
        >
          <path class="spark-base" d={`M0 ${heightPx - 0.5}H${widthPx}`} />
          {band !== "" && <path class="spark-band" d={band} />}
          <path class="spark-line" d={line} />
          {dot !== null && <circle class="spark-dot" cx={dot[0]} cy={dot[1]} r="2" />}
        </svg>
      </dd>
    </div>
  );
}

function stateWords(state: MonitorState): string {
  switch (state.kind) {
    case "connecting":
      return "Waiting for the first figures …";
    case "paused":
      return "Paused: no requests are sent to the job";
    case "held":
      return "A capture is running; the monitor goes on after it";
    case "away":
      return "Tilescope does not answer. Trying again";
    default:
      return "";
  }
}

function State({ state }: { state: MonitorState }) {
  if (state.kind === "refused") {
    return (
      <p class="monitor-problem" role="alert">
        {capitalised(state.message)}
      </p>
    );
  }
  if (state.kind === "problem") {
    const { sentence, detail, hints } = state.problem;
    return (
      <div class="monitor-problem" role="status">
        <p>
          <strong>{capitalised(sentence)}</strong>
          {state.isOver ? "" : " Trying again."}
        </p>
        {detail !== "" && <p class="capture-detail">{detail}</p>}
        {hints.length > 0 && <p>{capitalised(hints[0]!)}.</p>}
      </div>
    );
  }
  const words = stateWords(state);
  return words === "" ? null : (
    <p class="monitor-state" role="status">
      {words}
    </p>
  );
}

/** Form that asks for the job. */
function HostForm({ hosts, begin }: { hosts: readonly string[]; begin: (host: string) => void }) {
  const host = useSignal(hosts[0] ?? "");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <form
      class="monitor-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (host.peek().trim() !== "") {
          begin(host.peek().trim());
        }
      }}
    >
      <label for="monitor-host">Address or name of a target</label>
      <input
        ref={field}
        id="monitor-host"
        type="text"
        list="monitor-hosts"
        placeholder="localhost:9012"
        autocomplete="off"
        spellcheck={false}
        value={host.value}
        onInput={(event) => {
          host.value = event.currentTarget.value;
        }}
      />
      <datalist id="monitor-hosts">
        {hosts.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="submit" class="button is-primary">
        Monitor
      </button>
    </form>
  );
}

function Figures({ run }: { run: MonitorRun }) {
  const samples = run.samples.value;
  const state = run.state.value;
  const newest = samples.at(-1);
  if (newest === undefined) {
    return null;
  }
  const devices = newest.devices === null ? "" : plural(newest.devices, "device");
  const about = [newest.deviceType ?? "", devices, newest.steps === null ? "" : plural(newest.steps, "step")];
  return (
    <>
      <p class="monitor-about">{about.filter(Boolean).join(" · ")}</p>
      <dl class={state.kind === "live" ? "monitor-rows" : "monitor-rows is-old"}>
        {rowsOf(samples, Math.max(FEWEST_PLACES, samples.length)).map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </dl>
      {newest.source === "captures" && (
        <p class="monitor-source">
          From captures of {newest.durationMs / 1000} s, one after the other: the job has no monitor of its own. Each
          slows it down a little.
        </p>
      )}
    </>
  );
}

export function MonitorPanel({ run, hosts, onCapture, onStop }: Props) {
  const panel = useRef<HTMLElement>(null);
  const state = run.state.value;
  useEffect(() => {
    const before = document.activeElement;
    const first = panel.current?.querySelector<HTMLElement>("input") ?? panel.current;
    first?.focus();
    return () => {
      run.stop();
      (before as HTMLElement | null)?.focus?.();
    };
  }, []);
  const isPaused = state.kind === "paused";
  const isOver = state.kind === "refused" || (state.kind === "problem" && state.isOver);
  return (
    <section
      ref={panel}
      class="monitor"
      aria-label="Monitor"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onStop();
        }
      }}
    >
      <div class="monitor-head">
        <h2>Monitor</h2>
        {state.kind !== "asking" && (
          <button type="button" class="button monitor-host" title="Another job" onClick={() => run.ask()}>
            {run.host.value}
          </button>
        )}
        <span class="topbar-space" />
        <button type="button" class="button is-icon" aria-label="Stop the monitor" title="Stop (Esc)" onClick={onStop}>
          <CloseIcon />
        </button>
      </div>
      {state.kind === "asking" ? (
        <HostForm hosts={hosts} begin={(host) => run.begin(host)} />
      ) : (
        <>
          <State state={state} />
          <Figures run={run} />
          <div class="monitor-buttons">
            <button
              type="button"
              class="button is-outlined"
              onClick={() => (isPaused || isOver ? run.resume() : run.pause())}
            >
              {isPaused ? "Go on" : isOver ? "Try again" : "Pause"}
            </button>
            <button type="button" class="button is-outlined" onClick={onStop}>
              Stop
            </button>
            <button type="button" class="button is-outlined" onClick={onCapture}>
              Capture …
            </button>
          </div>
        </>
      )}
    </section>
  );
}
