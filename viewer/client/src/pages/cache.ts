/**
 * Decoded pages, by the byte.
 *
 * Pages that the view needs are never dropped; of the others the ones that were wanted longest ago go first.
 */

import { type PageName, pageName } from "./key";
import type { DecodedPage } from "./page";
import type { TileData } from "./tile";

/** Decoded pages in memory, by the byte. */
export class PageCache {
  readonly budgetBytes: number;
  /** In the order of their last use: a Map keeps insertion order. */
  readonly #pages = new Map<PageName, DecodedPage>();
  readonly #tiles = new Map<number, Map<number, TileData>>();
  #needed: ReadonlySet<PageName> = new Set();
  #usedBytes = 0;

  constructor(budgetBytes: number) {
    this.budgetBytes = budgetBytes;
  }

  /** Memory that all pages take. */
  get sizeBytes(): number {
    return this.#usedBytes;
  }

  /** True if a page is there. */
  has(name: PageName): boolean {
    return this.#pages.has(name);
  }

  /** The page, if it is there. */
  get(name: PageName): DecodedPage | undefined {
    return this.#pages.get(name);
  }

  /** Keeps a page; others go where there is no room. */
  add(page: DecodedPage): void {
    const name = pageName(page.key);
    this.#remove(name);
    this.#pages.set(name, page);
    this.#usedBytes += page.sizeBytes;
    for (const tile of page.tiles) {
      const key = lane(tile.track, tile.level);
      const byIndex = this.#tiles.get(key) ?? new Map<number, TileData>();
      byIndex.set(tile.index, tile);
      this.#tiles.set(key, byIndex);
    }
    this.#evict();
  }

  /** Bytes of the pages that the view needs and that are here. */
  get neededBytes(): number {
    let sum = 0;
    for (const name of this.#needed) {
      sum += this.#pages.get(name)?.sizeBytes ?? 0;
    }
    return sum;
  }

  /** Says which pages the view needs, and which others would be good to have; the rest ages. */
  use(needed: ReadonlySet<PageName>, useful: Iterable<PageName> = []): void {
    this.#needed = needed;
    for (const name of useful) {
      this.#touch(name);
    }
    for (const name of needed) {
      this.#touch(name);
    }
    this.#evict();
  }

  /** A tile of a page that is there. */
  lookup(track: number, level: number, index: number): TileData | undefined {
    return this.#tiles.get(lane(track, level))?.get(index);
  }

  /** Forgets all pages. */
  clear(): void {
    this.#pages.clear();
    this.#tiles.clear();
    this.#usedBytes = 0;
  }

  #touch(name: PageName): void {
    const page = this.#pages.get(name);
    if (page !== undefined) {
      this.#pages.delete(name);
      this.#pages.set(name, page);
    }
  }

  #evict(): void {
    if (this.#usedBytes <= this.budgetBytes) {
      return;
    }
    for (const name of [...this.#pages.keys()]) {
      if (this.#usedBytes <= this.budgetBytes) {
        return;
      }
      if (!this.#needed.has(name)) {
        this.#remove(name);
      }
    }
  }

  #remove(name: PageName): void {
    const page = this.#pages.get(name);
    if (page === undefined) {
      return;
    }
    this.#pages.delete(name);
    this.#usedBytes -= page.sizeBytes;
    for (const tile of page.tiles) {
      const key = lane(tile.track, tile.level);
      const byIndex = this.#tiles.get(key);
      byIndex?.delete(tile.index);
      if (byIndex?.size === 0) {
        this.#tiles.delete(key);
      }
    }
  }
}

function lane(track: number, level: number): number {
  return track * 32 + level;
}
