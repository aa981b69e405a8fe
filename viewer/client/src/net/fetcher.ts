/**
 * Fetches wanted pages one by one over HTTP: the first ones, while the stream is being opened, and all of them where WebSockets do
 * not get through.
 */

import { type PageKey, type PageName, pageName } from "../pages/key";

export type FetchPage = (key: PageKey, signal: AbortSignal) => Promise<Uint8Array>;

export interface FetchEvents {
  onBytes(key: PageKey, bytes: Uint8Array): void;
  onError(key: PageKey, error: Error): void;
}

/** Browsers open about six connections to a server; one stays free for the rest of the API. */
const MAX_REQUESTS = 5;

export class PageFetcher {
  #wanted: readonly PageKey[] = [];
  readonly #running = new Map<PageName, AbortController>();
  readonly #fetchPage: FetchPage;
  readonly #events: FetchEvents;
  readonly #atOnce: number;

  constructor(fetchPage: FetchPage, events: FetchEvents, atOnce = MAX_REQUESTS) {
    this.#fetchPage = fetchPage;
    this.#events = events;
    this.#atOnce = atOnce;
  }

  /** The complete list, most urgent first; requests that are no longer in it are aborted. */
  want(keys: readonly PageKey[]): void {
    this.#wanted = keys;
    const names = new Set(keys.map(pageName));
    for (const [name, controller] of this.#running) {
      if (!names.has(name)) {
        this.#running.delete(name);
        controller.abort();
      }
    }
    this.#fill();
  }

  stop(): void {
    this.want([]);
  }

  /** Begins nothing more. What is under way comes. */
  finish(): void {
    this.#wanted = [];
  }

  isFetching(key: PageKey): boolean {
    return this.#running.has(pageName(key));
  }

  #fill(): void {
    for (const key of this.#wanted) {
      if (this.#running.size >= this.#atOnce) {
        return;
      }
      if (!this.#running.has(pageName(key))) {
        void this.#run(key);
      }
    }
  }

  async #run(key: PageKey): Promise<void> {
    const name = pageName(key);
    const controller = new AbortController();
    this.#running.set(name, controller);
    try {
      const bytes = await this.#fetchPage(key, controller.signal);
      if (this.#settle(key, controller)) {
        this.#events.onBytes(key, bytes);
      }
    } catch (error) {
      if (this.#settle(key, controller)) {
        this.#events.onError(key, error instanceof Error ? error : new Error(String(error)));
      }
    }
    this.#fill();
  }

  /** Takes the page off the list; false when the request had been given up. */
  #settle(key: PageKey, controller: AbortController): boolean {
    const name = pageName(key);
    if (this.#running.get(name) !== controller) {
      return false;
    }
    this.#running.delete(name);
    this.#wanted = this.#wanted.filter((other) => pageName(other) !== name);
    return true;
  }
}
