/** The runs that the server offers, looked at again while something is being indexed. */

import { signal } from "@preact/signals";
import type { Run } from "@tilescope/client";

export const runs = signal<readonly Run[] | null>(null);

/** Why the list could not be fetched: one line, or null. */
export const runsProblem = signal<string | null>(null);

const BUSY_POLL_MS = 700;
const RETRY_MS = 3000;

/** How long until the list is worth another look, or null when nothing is going to change by itself. */
export function pollDelayMs(list: readonly Run[] | null, problem: string | null): number | null {
  if (problem !== null) {
    return RETRY_MS;
  }
  return list?.some((run) => run.state === "queued" || run.state === "indexing") === true ? BUSY_POLL_MS : null;
}

export type FetchRuns = () => Promise<readonly Run[]>;

/** Keeps the list fresh. `refresh` looks now; only one look is under way at a time. */
export class RunsPoller {
  readonly #fetchRuns: FetchRuns;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isFetching = false;

  constructor(fetchRuns: FetchRuns) {
    this.#fetchRuns = fetchRuns;
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
    const delayMs = pollDelayMs(runs.peek(), runsProblem.peek());
    this.#timer = delayMs === null ? null : setTimeout(() => void this.refresh(), delayMs);
  }
}
