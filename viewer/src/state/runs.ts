/** The runs that the server offers, looked at again while something is being indexed. */

import { signal } from "@preact/signals";
import type { Run } from "@tilescope/client";

export const runs = signal<readonly Run[] | null>(null);

/** Reason why the list could not be fetched: one line, or null. */
export const runsProblem = signal<string | null>(null);

const BUSY_POLL_MS = 700;
const RETRY_MS = 3000;

/** While the list itself is looked at: runs come and go. */
const WATCHED_POLL_MS = 4000;

/** Pause until the list is worth another look, or null when nobody would see what has changed. */
export function pollDelayMs(list: readonly Run[] | null, problem: string | null, isWatched: boolean): number | null {
  if (problem !== null) {
    return RETRY_MS;
  }
  const isBusy = list?.some((run) => run.state === "queued" || run.state === "indexing") === true;
  return isBusy ? BUSY_POLL_MS : isWatched ? WATCHED_POLL_MS : null;
}

export type FetchRuns = () => Promise<readonly Run[]>;

/** Keeps the list fresh. `refresh` looks now; only one look is under way at a time. */
export class RunsPoller {
  readonly #fetchRuns: FetchRuns;
  readonly #isWatched: () => boolean;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isFetching = false;

  /** `isWatched`: whether somebody looks at the list. */
  constructor(fetchRuns: FetchRuns, isWatched: () => boolean = () => false) {
    this.#fetchRuns = fetchRuns;
    this.#isWatched = isWatched;
  }

  async refresh(): Promise<void> {
    if (this.#isFetching) {
      return;
    }
    this.#isFetching = true;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    try {
      runs.value = await this.#fetchRuns();
      runsProblem.value = null;
    } catch (error) {
      runsProblem.value = error instanceof Error ? error.message : String(error);
    } finally {
      this.#isFetching = false;
    }
    const delayMs = pollDelayMs(runs.peek(), runsProblem.peek(), this.#isWatched());
    this.#timer = delayMs === null ? null : setTimeout(() => void this.refresh(), delayMs);
  }
}
