/** Placeholders of a page while it has no answer, and instead of one. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../state/failure";
import { siteArchive } from "../state/site-archive";
import type { RequestHandle } from "./use-request";
import "./states.css";

export interface AnsweredProps<T> {
  readonly request: RequestHandle<T>;
  /** The server's message in the words of the page. */
  readonly words?: (message: string) => string;
  /** True if an answer has nothing in it; `empty` is shown then. */
  readonly isEmpty?: (answer: T) => boolean;
  readonly empty?: (answer: T) => ComponentChildren;
  readonly children: (answer: T) => ComponentChildren;
}

/** An answer, or the state of the question for it. Figures of the question before are dimmed while one waits. */
export function Answered<T>({ request, words = (message) => message, isEmpty, empty, children }: AnsweredProps<T>) {
  const { state } = request;
  switch (state.kind) {
    case "none":
      return null;
    case "answered":
      return isEmpty?.(state.answer) ? (
        (empty?.(state.answer) ?? null)
      ) : (
        <div class="answer-slot">{children(state.answer)}</div>
      );
    case "cancelled":
      return (
        <StateCard title="Cancelled" state="cancelled">
          <p>Nothing is shown, because the question was cancelled before it was answered.</p>
          <button type="button" class="button is-primary" onClick={request.again}>
            Ask again
          </button>
        </StateCard>
      );
    case "failed":
      return <Failed failure={{ ...state.failure, message: words(state.failure.message) }} again={request.again} />;
    case "waiting":
      return (
        <>
          {state.patience === "progress" && <Progress sinceMs={state.sinceMs} cancel={request.cancel} />}
          {state.stale !== null ? (
            <div class="answer-slot is-stale" aria-busy="true" inert>
              {children(state.stale.answer)}
            </div>
          ) : (
            state.patience !== "quiet" && <Skeleton />
          )}
        </>
      );
  }
}

export function Skeleton() {
  return (
    <div class="skeleton" data-state="loading" role="status">
      <span class="visually-hidden">Loading</span>
      <div class="skeleton-facts">
        {[0, 1, 2, 3].map((k) => (
          <div key={k} class="skeleton-card" />
        ))}
      </div>
      {[92, 78, 85, 64, 71, 58, 66].map((part) => (
        <div key={part} class="skeleton-row" style={{ width: `${part}%` }} />
      ))}
    </div>
  );
}

function Progress({ sinceMs, cancel }: { sinceMs: number; cancel: () => void }) {
  const [nowMs, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="page-progress" data-state="progress">
      <div class="progress is-endless" role="progressbar" aria-label="Waiting for the answer">
        <div />
      </div>
      <span>Asking the server for {Math.max(1, Math.round((nowMs - sinceMs) / 1000))} s</span>
      <button type="button" class="button is-outlined" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

function Failed({ failure, again }: { failure: Failure; again: () => void }) {
  if (failure.isUnavailable) {
    return <Unavailable reason={failure.message} />;
  }
  return (
    <StateCard title="This could not be answered" state="failed">
      <p class="error-line" role="alert">
        {failure.message}
      </p>
      <p>{failure.advice}</p>
      <button type="button" class="button is-primary" onClick={again}>
        Try again
      </button>
    </StateCard>
  );
}

/** Not recorded is no fault: it says what to record, or, of an archive, what gives the answer. */
export function Unavailable({ reason, children }: { reason: string; children?: ComponentChildren }) {
  return (
    <StateCard title={siteArchive === null ? "Not recorded in this run" : "Not in this archive"} state="unavailable">
      <p>{sentence(reason)}</p>
      {children}
    </StateCard>
  );
}

export function StateCard({
  title,
  state,
  children,
}: {
  title: string;
  state: "empty" | "unavailable" | "failed" | "cancelled" | "unknown" | "asking";
  children: ComponentChildren;
}) {
  return (
    <div class="state-card" data-state={state}>
      <h3>{title}</h3>
      {children}
    </div>
  );
}

/** A message as a sentence: a capital at its beginning, a full stop at its end. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
