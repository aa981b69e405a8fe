/** One thing after another that is fetched, of which only the latest counts. Pure but for its clock. */

import { Recent } from "./recent";

/** What is answered sooner needs no skeleton: it would only flicker. */
export const SKELETON_MS = 150;

const KEPT = 100;

export type Fetched<T> =
  | { readonly kind: "none" }
  /** `stale`: what was there before, to be shown dimmed; `isSlow`: it is time for a skeleton. */
  | { readonly kind: "waiting"; readonly key: string; readonly stale: Stale<T> | null; readonly isSlow: boolean }
  | { readonly kind: "ready"; readonly key: string; readonly value: T }
  | { readonly kind: "failed"; readonly key: string; readonly message: string };

export interface Stale<T> {
  readonly key: string;
  readonly value: T;
}

export class Latest<T> {
  readonly #show: (state: Fetched<T>) => void;
  #known = new Recent<T>(KEPT);
  #state: Fetched<T> = { kind: "none" };
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(show: (state: Fetched<T>) => void) {
    this.#show = show;
  }

  /** Shows what is known under a key at once, or fetches it. Never rejects. */
  async ask(key: string, fetch: (signal: AbortSignal) => Promise<T>): Promise<void> {
    this.#stop();
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#become({ kind: "ready", key, value: known });
      return;
    }
    const stale = staleOf(this.#state);
    this.#become({ kind: "waiting", key, stale, isSlow: false });
    this.#timer = setTimeout(() => this.#become({ kind: "waiting", key, stale, isSlow: true }), SKELETON_MS);
    const { signal } = this.#abort;
    try {
      const value = await fetch(signal);
      if (!signal.aborted) {
        this.#stop();
        this.#known.set(key, value);
        this.#become({ kind: "ready", key, value });
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#stop();
        this.#become({ kind: "failed", key, message: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  /** What is known may not hold any more: it is fetched when it is asked for again. */
  forget(): void {
    this.#known = new Recent(KEPT);
  }

  /** Nothing is wanted any more. */
  clear(): void {
    this.#stop();
    this.#become({ kind: "none" });
  }

  #become(state: Fetched<T>): void {
    this.#state = state;
    this.#show(state);
  }

  #stop(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    clearTimeout(this.#timer);
  }
}

function staleOf<T>(state: Fetched<T>): Stale<T> | null {
  return state.kind === "ready" ? state : state.kind === "waiting" ? state.stale : null;
}
