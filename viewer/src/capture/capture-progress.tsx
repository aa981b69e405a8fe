/** A capture that runs, or is over: where each host is, how long it takes, and why there is no trace. */

import { useSignal } from "@preact/signals";
import type { Capture, CapturedHost } from "@tilescope/client";
import { useEffect } from "preact/hooks";
import { type HeardCapture, timesOf } from "./clock";
import { capitalised, failuresOf, namesOf, outcomeOf, phaseWords, secondsText, slowestHost } from "./words";

/** So often the times are written anew. */
const TICK_MS = 100;

const MOST_HOSTS = 40;

function HostState({ phase }: CapturedHost) {
  const look = phase === "done" ? "is-done" : phase === "failed" ? "is-failed" : "is-under-way";
  return <span class={`capture-dot ${look}`} aria-hidden="true" />;
}

/** `attempt 2 of 3`, where there was more than one. */
function attemptText({ attempt, attempts, phase }: CapturedHost): string {
  const isTold = phase === "waiting" || (attempt > 1 && phase !== "done" && phase !== "failed");
  return isTold ? `attempt ${attempt} of ${attempts}` : "";
}

function Hosts({ capture }: { capture: Capture }) {
  const { hosts } = capture;
  const shown = hosts.slice(0, MOST_HOSTS);
  return (
    <ul class="capture-hosts" aria-label="Hosts">
      {shown.map((host) => (
        <li key={host.name}>
          <HostState {...host} />
          <span class="capture-host-name">{host.name}</span>
          <span class="capture-host-phase">{phaseWords(host)}</span>
          {attemptText(host) !== "" && <span class="capture-host-note">{attemptText(host)}</span>}
        </li>
      ))}
      {hosts.length > MOST_HOSTS && <li class="dim">and {hosts.length - MOST_HOSTS} more</li>}
    </ul>
  );
}

function Running({ heard, stop }: { heard: HeardCapture; stop: () => void }) {
  const { capture } = heard;
  const now = useSignal(performance.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = performance.now();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const { elapsedMs, leftMs, part } = timesOf(heard, Math.max(now.value, heard.heardMs));
  const slowest = slowestHost(capture);
  const words = slowest === null ? "Adding the run to the list" : phaseWords(slowest);
  const percent = part === null ? undefined : Math.round(part * 100);
  const isWaiting = slowest?.phase === "waiting";
  const left =
    leftMs === null ? "" : isWaiting ? `next attempt in ${secondsText(leftMs)}` : `${secondsText(leftMs)} left`;
  return (
    <>
      <p class="capture-phase" role="status">
        {words}
      </p>
      <div
        class={part === null ? "progress is-endless" : "progress"}
        role="progressbar"
        aria-label="Capture"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <div style={{ width: part === null ? "100%" : `${part * 100}%` }} />
      </div>
      <p class="capture-times" aria-live="off">
        <span>{secondsText(elapsedMs)} elapsed</span>
        <span>{left}</span>
      </p>
      <Hosts capture={capture} />
      <div class="capture-buttons">
        <button type="button" class="button is-outlined" disabled={capture.wasStopped} onClick={stop}>
          {capture.wasStopped ? "Stopping …" : "Stop"}
        </button>
        <p class="capture-hint">
          {capture.wasStopped ? "What the hosts return is kept." : "Stopping keeps what has been captured until then."}
        </p>
      </div>
    </>
  );
}

function Failures({ capture }: { capture: Capture }) {
  return (
    <>
      {failuresOf(capture).map(({ names, problem }) => (
        <section key={`${problem.cause} ${problem.detail}`} class="capture-failure">
          <h3>{capitalised(problem.sentence)}</h3>
          <p class="capture-failed-hosts">{namesOf(names)}</p>
          {problem.detail !== "" && <p class="capture-detail">{problem.detail}</p>}
          {problem.hints.length > 0 && (
            <ul class="capture-hints">
              {problem.hints.map((hint) => (
                <li key={hint}>{capitalised(hint)}</li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </>
  );
}

interface OverProps {
  readonly capture: Capture;
  readonly again: () => void;
  readonly change: () => void;
  readonly open: (run: string) => void;
}

function Over({ capture, again, change, open }: OverProps) {
  const { run, state, problem } = capture;
  const isFailed = state === "failed" || state === "cancelled";
  const way = run === null ? "is-outlined" : "is-primary";
  return (
    <>
      <p class={isFailed ? "capture-outcome is-bad" : "capture-outcome"} role={isFailed ? "alert" : "status"}>
        {outcomeOf(capture)}
      </p>
      {problem !== null && <p class="error-line">{capitalised(problem)}</p>}
      <Failures capture={capture} />
      {capture.hosts.some(({ phase }) => phase === "done") && <Hosts capture={capture} />}
      <div class="capture-buttons">
        {run !== null && (
          <button type="button" class={`button ${way}`} onClick={() => open(run)}>
            Open the run
          </button>
        )}
        <button type="button" class={run === null ? "button is-primary" : "button is-outlined"} onClick={again}>
          {run === null ? "Try again" : "Capture again"}
        </button>
        <button type="button" class="button is-outlined" onClick={change}>
          Change
        </button>
      </div>
    </>
  );
}

export function CaptureProgress(props: { heard: HeardCapture; stop: () => void } & Omit<OverProps, "capture">) {
  const { heard, stop, ...rest } = props;
  return heard.capture.state === "running" ? (
    <Running heard={heard} stop={stop} />
  ) : (
    <Over capture={heard.capture} {...rest} />
  );
}
