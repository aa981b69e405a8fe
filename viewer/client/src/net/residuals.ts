/** Exact bins on request: fetches the residuals of pages, each once, and puts what they make into the cache. */

import type { PageCache } from "../pages/cache";
import { type PageKey, type PageName, pageName } from "../pages/key";
import type { DecodedPage } from "../pages/page";
import { withResidual } from "../pages/residual";
import type { FetchPage } from "./fetcher";

export class Residuals {
  readonly #pending = new Map<PageName, Promise<DecodedPage>>();
  readonly #abort = new AbortController();
  readonly #cache: PageCache;
  readonly #fetchResidual: FetchPage;

  constructor(cache: PageCache, fetchResidual: FetchPage) {
    this.#cache = cache;
    this.#fetchResidual = fetchResidual;
  }

  /** A page that is in the cache, with exact bins. Rejects when its residual cannot be had; the next call tries again. */
  exact(key: PageKey): Promise<DecodedPage> {
    const name = pageName(key);
    const page = this.#cache.get(name);
    if (page === undefined) {
      return Promise.reject(new Error(`page ${name} is not there`));
    }
    if (page.tiles.every(({ bins }) => bins.length === 0 || bins.exact !== null)) {
      return Promise.resolve(page);
    }
    let residual = this.#pending.get(name);
    if (residual === undefined) {
      residual = this.#fetch(page).finally(() => this.#pending.delete(name));
      this.#pending.set(name, residual);
    }
    return residual;
  }

  close(): void {
    this.#abort.abort();
  }

  async #fetch(page: DecodedPage): Promise<DecodedPage> {
    const exact = withResidual(page, await this.#fetchResidual(page.key, this.#abort.signal));
    // Unless it has been dropped in the meantime.
    if (this.#cache.get(pageName(page.key)) === page) {
      this.#cache.add(exact);
    }
    return exact;
  }
}
