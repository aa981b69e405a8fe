/** A question that is on its way: what is known of it, and since when one waits. Pure but for its clock. */

import { signal } from "@preact/signals";
import { ApiError, NetworkError } from "@tilescope/client";

/** Before these, a state is not shown: what is answered soon must not flicker. */
export const SKELETON_MS = 150;
export const PROGRESS_MS = 1000;

export type Asking<T> =
  /** `stale`: what was answered to the question before, to be shown dimmed; null before the first answer. */
  | { readonly kind: "waiting"; readonly patience: Patience; readonly stale: T | null; readonly sinceMs: number }
  | { readonly kind: "answered"; readonly answer: T }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly failure: Failure };

/** What is shown while one waits: nothing yet, a skeleton, or progress with a way to cancel. */
export type Patience = "quiet" | "skeleton" | "progress";

export interface Failure {
  /** The tool has no answer for this run: not a fault. */
  readonly isUnavailable: boolean;
  readonly message: string;
  readonly advice: string;
}

/** Asks one question after another; an answer to one that is no longer asked is dropped. */
export class Asker<T> {
  readonly state = signal<Asking<T>>({ kind: "waiting", patience: "quiet", stale: null, sinceMs: 0 });
  #abort = new AbortController();
  #timers: ReturnType<typeof setTimeout>[] = [];

  ask(question: (signal: AbortSignal) => Promise<T>): void {
    const before = this.state.peek();
    const stale = before.kind === "answered" ? before.answer : before.kind === "waiting" ? before.stale : null;
    this.#stop();
    this.#abort = new AbortController();
    const { signal: abortSignal } = this.#abort;
    const waiting = { kind: "waiting", stale, sinceMs: Date.now() } as const;
    this.state.value = { ...waiting, patience: "quiet" };
    const lose = (patience: Patience) => () => {
      this.state.value = { ...waiting, patience };
    };
    this.#timers = [setTimeout(lose("skeleton"), SKELETON_MS), setTimeout(lose("progress"), PROGRESS_MS)];
    question(abortSignal).then(
      (answer) => this.#settle(abortSignal, { kind: "answered", answer }),
      (error: unknown) => this.#settle(abortSignal, { kind: "failed", failure: failureOf(error) }),
    );
  }

  cancel(): void {
    this.#stop();
    this.state.value = { kind: "cancelled" };
  }

  close(): void {
    this.#stop();
  }

  #settle(abortSignal: AbortSignal, state: Asking<T>): void {
    if (!abortSignal.aborted) {
      this.#stop();
      this.state.value = state;
    }
  }

  #stop(): void {
    this.#abort.abort();
    this.#timers.forEach(clearTimeout);
    this.#timers = [];
  }
}

/** What went wrong, and what to do about it. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof NetworkError) {
    const advice = "See whether `tilescope serve` still runs and can be reached, then try again.";
    return { isUnavailable: false, message, advice };
  }
  if (!(error instanceof ApiError)) {
    return { isUnavailable: false, message, advice: "Try again; if it stays so, reload the page." };
  }
  switch (error.code) {
    case "not_available":
      return { isUnavailable: true, message, advice: "" };
    case "tool_failed":
      return { isUnavailable: false, message, advice: "The tool has a fault: tell those who maintain its package." };
    case "unknown_build":
    case "unknown_run":
      return { isUnavailable: false, message, advice: "The trace has changed since it was opened: reload the page." };
    default:
      return error.status === 429 || error.status === 503
        ? { isUnavailable: false, message, advice: "The server is busy: try again in a moment, or ask for less." }
        : {
            isUnavailable: false,
            message,
            advice: error.status < 500 ? "Change what is asked, then try again." : "Try again.",
          };
  }
}
