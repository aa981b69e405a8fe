/**
 * Tiles of views that stand still, fetched over HTTP: for a minimap, or for a question about the whole run.
 *
 * They are few, and are kept apart from the pages of the view that moves, so that they never leave the memory.
 */

import type { View } from "../base/view";
import { visibleRange } from "../base/view";
import { PageCache } from "../pages/cache";
import { type Coverage, coverage, nothingKnown } from "../pages/coverage";
import { blockOf, type PageKey } from "../pages/key";
import { decodePage } from "../pages/page";
import { Composer, missingBlocks } from "../pages/parts";
import { coarseTerminals, resolve, sharpLevel, type TrackRequest } from "../pages/resolver";
import type { ShapeIndex } from "../pages/shape";
import type { TileData } from "../pages/tile";
import { mayPass } from "./retry";

/** The part of a build's API that is needed. */
export interface StillSource {
  shape(block: number): Promise<ShapeIndex>;
  page(key: PageKey): Promise<Uint8Array>;
}

const BUDGET_BYTES = 64 * 1024 * 1024;

/** Browsers open about six connections to a server; others want some of them. */
const MAX_REQUESTS = 3;

/** Tiles of views that stand still, fetched over HTTP. */
export class StillClient {
  readonly #cache = new PageCache(BUDGET_BYTES);
  readonly #shapes = new Map<number, ShapeIndex>();
  readonly #composer: Composer;
  /** Requests by name; one that failed in a way that may pass is made again. */
  readonly #requests = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  readonly #source: StillSource;
  readonly #rootLevel: number;
  readonly #onArrival: () => void;

  /** `onArrival`: there is more to draw. */
  constructor(source: StillSource, rootLevel: number, onArrival: () => void = () => undefined) {
    this.#source = source;
    this.#rootLevel = rootLevel;
    this.#onArrival = onArrival;
    this.#composer = new Composer(this.#shapes, this.#lookup, rootLevel);
  }

  /** Loads everything that a view of these tracks needs; rejects with the first error. */
  async complete(requests: readonly TrackRequest[], view: View): Promise<void> {
    for (let done = false; !done; ) {
      const before = this.#requests.size;
      await Promise.all([...this.#askShapes(requests, view), ...this.#askPages(requests, view)]);
      done = this.#requests.size === before;
    }
  }

  /** Tiles that can be drawn now. */
  readonly coverage = (request: TrackRequest, view: View): Coverage => {
    const shape = this.#shapes.get(blockOf(request.track));
    return shape === undefined
      ? nothingKnown(view)
      : coverage(this.#lookup, shape, request, view, this.#rootLevel, this.#composer);
  };

  readonly #lookup = (track: number, level: number, index: number): TileData | undefined =>
    this.#cache.lookup(track, level, index);

  *#askShapes(requests: readonly TrackRequest[], view: View): Iterable<Promise<void>> {
    const level = sharpLevel(view.ticksPerPx, this.#rootLevel);
    const range = visibleRange(view);
    for (const request of requests) {
      yield this.#askShape(blockOf(request.track));
      if (coarseTerminals(this.#shapes, request, range, level, this.#rootLevel).length > 0) {
        for (const block of missingBlocks(this.#shapes, request.children ?? [])) {
          yield this.#askShape(block);
        }
      }
    }
  }

  #askShape(block: number): Promise<void> {
    return this.#ask(`shape ${block}`, async () => {
      this.#shapes.set(block, await this.#source.shape(block));
    });
  }

  *#askPages(requests: readonly TrackRequest[], view: View): Iterable<Promise<void>> {
    const shapes = this.#shapes;
    const rootLevel = this.#rootLevel;
    const composer = this.#composer;
    for (const want of resolve({ view, tracks: requests, rootLevel, shapes, marginPx: 0, partsOf: composer.partsOf })) {
      if (want.tier === "coarse" || want.tier === "sharp") {
        yield this.#ask(want.name, async () => {
          this.#cache.add(decodePage(await this.#source.page(want.key), want.key));
        });
      }
    }
  }

  #ask(name: string, load: () => Promise<void>): Promise<void> {
    let request = this.#requests.get(name);
    if (request === undefined) {
      request = this.#inTurn(load).then(() => this.#onArrival());
      this.#requests.set(name, request);
      request.catch((error) => mayPass(error) && this.#requests.delete(name));
    }
    return request;
  }

  async #inTurn(load: () => Promise<void>): Promise<void> {
    if (this.#running >= MAX_REQUESTS) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    try {
      await load();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }
}
