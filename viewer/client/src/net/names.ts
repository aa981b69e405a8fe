/** The names of events by name id, loaded a page at a time when one of them is first looked at. */

import type { EventName } from "./model";
import { mayPass } from "./retry";

/** Loads the names of a page. */
export type LoadNames = (page: number) => Promise<readonly EventName[]>;

/** The names of a build, loaded a page at a time when one of them is looked at. */
export class NameTable {
  readonly #pages = new Map<number, readonly EventName[] | "loading">();
  readonly #loads = new Map<number, Promise<void>>();
  readonly #load: LoadNames;
  readonly #pageSize: number;
  readonly #onLoad: (firstId: number, names: readonly EventName[]) => void;

  /** `onLoad` is called with the first name id of a page and its names. */
  constructor(load: LoadNames, pageSize: number, onLoad: (firstId: number, names: readonly EventName[]) => void) {
    this.#load = load;
    this.#pageSize = pageSize;
    this.#onLoad = onLoad;
  }

  /** The name, or undefined while its page is on its way, or where that is refused. */
  get(id: number): EventName | undefined {
    const page = Math.floor(id / this.#pageSize);
    const names = this.#pages.get(page);
    if (names === undefined) {
      void this.#fetch(page);
    }
    return names === undefined || names === "loading" ? undefined : names[id % this.#pageSize];
  }

  /** Resolves when the names of these ids are there, or could not be loaded. */
  async want(ids: Iterable<number>): Promise<void> {
    const pages = new Set<number>();
    for (const id of ids) {
      this.get(id);
      pages.add(Math.floor(id / this.#pageSize));
    }
    await Promise.all([...pages].map((page) => this.#loads.get(page)));
  }

  #fetch(page: number): Promise<void> {
    const load = this.#loadPage(page);
    this.#loads.set(page, load);
    return load;
  }

  async #loadPage(page: number): Promise<void> {
    this.#pages.set(page, "loading");
    try {
      const names = await this.#load(page);
      this.#pages.set(page, names);
      this.#onLoad(page * this.#pageSize, names);
    } catch (error) {
      // The next look at one of its names tries again, unless the page is refused for good.
      if (mayPass(error)) {
        this.#pages.delete(page);
      } else {
        this.#pages.set(page, []);
      }
    }
  }
}
