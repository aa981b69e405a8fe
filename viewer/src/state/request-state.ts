/** Asks one question after another, and says how it stands with one: the only way in which the viewer waits for answers. */

import { type Signal, signal } from "@preact/signals";
import { pauseFor } from "@tilescope/client";
import { type Failure, failureOf } from "./failure";
import { Recent } from "./recent";

/** Before these, a state is not shown: what is answered soon must not flicker. */
export const SKELETON_MS = 150;
export const PROGRESS_MS = 1000;

/** State of a question. `key` says which one it is: another question, or another build, has another key. */
export type RequestState<T> =
  | { readonly kind: "none" }
  | {
      readonly kind: "waiting";
      readonly key: string;
      readonly patience: Patience;
      readonly stale: Answer<T> | null;
      readonly sinceMs: number;
    }
  | { readonly kind: "answered"; readonly key: string; readonly answer: T }
  | { readonly kind: "cancelled"; readonly key: string }
  | { readonly kind: "failed"; readonly key: string; readonly failure: Failure; readonly stale: Answer<T> | null };

/** Placeholder while one waits: nothing yet, a skeleton, or progress with a way to cancel. */
export type Patience = "quiet" | "skeleton" | "progress";

/** An answer, and the question that it belongs to. As `stale`, that of a question before, which is only shown dimmed. */
export interface Answer<T> {
  readonly key: string;
  readonly answer: T;
}

type Ask<T> = (signal: AbortSignal) => Promise<T>;

interface Question<T> {
  readonly key: string;
  readonly ask: Ask<T>;
}

/** Asks one question after another; an answer to one that is no longer asked is dropped. */
export class Requester<T> {
  readonly #state: Signal<RequestState<T>>;
  readonly #keeps: number;
  #kept: Recent<T>;
  #question: Question<T> | null = null;
  #isResting = false;
  #abort = new AbortController();
  #timers: ReturnType<typeof setTimeout>[] = [];

  /** `keeps`: so many answers are kept, for when they are asked for again. `state`: where others see how it stands. */
  constructor(keeps = 0, state = signal<RequestState<T>>({ kind: "none" })) {
    this.#keeps = keeps;
    this.#kept = new Recent(keeps);
    this.#state = state;
  }

  /** State of the last question. */
  get state(): RequestState<T> {
    return this.#state.value;
  }

  /** State of a question, be it that it has not been asked yet: the answer to another one is stale. */
  about(key: string): RequestState<T> {
    const state = this.#state.value;
    return state.kind !== "none" && state.key === key ? state : waitingFor(key, state);
  }

  /**
   * Asks, unless the question is on its way, answered, or refused for good. `restMs`: the question has to stand still so long before
   * it goes out, because a person is still changing it. Never rejects.
   */
  async want(key: string, ask: Ask<T>, restMs = 0): Promise<void> {
    if (this.#question?.key !== key || !this.#isSettled(restMs)) {
      await this.#begin({ key, ask }, restMs);
    }
  }

  #isSettled(restMs: number): boolean {
    const state = this.#state.peek();
    switch (state.kind) {
      case "answered":
        return true;
      case "waiting":
        return !(this.#isResting && restMs === 0);
      case "failed":
        return state.failure.isFinal;
      default:
        return false;
    }
  }

  /** Asks the last question once more if it failed in a way that may pass: the server is back, or the page is looked at again. */
  async retry(): Promise<void> {
    const state = this.#state.peek();
    if (state.kind === "failed" && !state.failure.isFinal) {
      await this.again();
    }
  }

  /** Asks the last question once more, whatever became of it: a person wants that. */
  async again(): Promise<void> {
    if (this.#question !== null) {
      await this.#begin(this.#question, 0);
    }
  }

  /** Marks answers as outdated: they are asked for again when they are wanted. */
  forget(): void {
    this.#kept = new Recent(this.#keeps);
    this.#question = null;
  }

  cancel(): void {
    this.#stop();
    this.#state.value = { kind: "cancelled", key: this.#question?.key ?? "" };
  }

  /** Nothing is wanted any more. */
  clear(): void {
    this.#stop();
    this.#question = null;
    this.#state.value = { kind: "none" };
  }

  async #begin(question: Question<T>, restMs: number): Promise<void> {
    const { key, ask } = question;
    this.#stop();
    this.#question = question;
    const kept = this.#kept;
    const answer = kept.get(key);
    if (answer !== undefined) {
      this.#state.value = { kind: "answered", key, answer };
      return;
    }
    const waiting = waitingFor(key, this.#state.peek());
    this.#state.value = waiting;
    const showPatience = (patience: Patience) => () => {
      this.#state.value = { ...waiting, patience };
    };
    this.#timers = [
      setTimeout(showPatience("skeleton"), SKELETON_MS),
      setTimeout(showPatience("progress"), PROGRESS_MS),
    ];
    const { signal: aborted } = this.#abort;
    try {
      if (restMs > 0) {
        this.#isResting = true;
        await pauseFor(restMs, aborted);
        this.#isResting = false;
      }
      const answered = await ask(aborted);
      if (!aborted.aborted) {
        kept.set(key, answered);
        this.#settle({ kind: "answered", key, answer: answered });
      }
    } catch (error) {
      if (!aborted.aborted) {
        this.#settle({ kind: "failed", key, failure: failureOf(error), stale: waiting.stale });
      }
    }
  }

  #settle(state: RequestState<T>): void {
    this.#stop();
    this.#state.value = state;
  }

  #stop(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#isResting = false;
    this.#timers.forEach(clearTimeout);
    this.#timers = [];
  }
}

function waitingFor<T>(key: string, before: RequestState<T>): Extract<RequestState<T>, { kind: "waiting" }> {
  return { kind: "waiting", key, patience: "quiet", stale: lastOf(before), sinceMs: Date.now() };
}

/** The last answer that there was; what was cancelled shows none. */
export function lastOf<T>(state: RequestState<T>): Answer<T> | null {
  switch (state.kind) {
    case "answered":
      return state;
    case "waiting":
    case "failed":
      return state.stale;
    default:
      return null;
  }
}
