/**
 * Density of hits in a view, and in the whole run for the minimap. A view is asked for with its surroundings, when it has come to rest;
 * until the answer is there, the last answer is shown as it is.
 */

import { type TickRange, type ToolAnswer, ticks } from "@tilescope/client";
import { HitGrid } from "../raster/hit-grid";
import { factOf, valuesOf } from "./answer-values";
import { questionKey } from "./question-key";
import { lastOf, Requester, type RequestState } from "./request-state";
import type { Trace } from "./trace";

export interface DensityWish {
  /** Names the search in the build. */
  readonly key: string;
  readonly query: string;
  readonly range: TickRange;
  readonly widthPx: number;
  /** Tracks and rollups, and how many rows all of them have. */
  readonly tracks: readonly number[];
  readonly rows: number;
}

export interface Density {
  readonly wish: DensityWish;
  readonly grid: HitGrid;
}

/** Hits to paint that one question asks for. */
export interface AskedHits {
  /** In recorded times; null while nothing is known. */
  readonly grid: HitGrid | null;
  /** The grid is of the search before, and about to change. */
  readonly isStale: boolean;
  /** Hits are still on their way. */
  readonly isPending: boolean;
  /** Reason why hits are missing; null: they are there, or on their way. */
  readonly problem: string | null;
  /** Nothing is known of this search, and cannot be: then nothing is veiled, either. */
  readonly isBlind: boolean;
}

/** Hits to paint for the search with a key. Where that is refused, nothing is left of the one before. */
export function askedHits(state: RequestState<Density>, key: string): AskedHits {
  const density = lastOf(state)?.answer ?? null;
  const isOther = density !== null && !isOfSearch(density.wish.key, key);
  const isFailed = state.kind === "failed";
  const grid = isFailed && isOther ? null : (density?.grid ?? null);
  return {
    grid,
    isStale: grid !== null && isOther,
    isPending: state.kind === "waiting",
    problem: isFailed ? state.failure.message : null,
    isBlind: isFailed && grid === null,
  };
}

/** True if two keys are of the same search, be it of other revisions of a run that grows. */
function isOfSearch(key: string, other: string): boolean {
  const parts = (text: string) => [text.split(" ").slice(0, 2), text.split(" ").slice(4)].flat().join(" ");
  return parts(key) === parts(other);
}

/** So long a view stands still before it is asked for. */
const REST_MS = 90;
/** Beside a view on each side, as a part of its width. */
const BESIDE = 0.5;
/** The server counts at most a million bins for one question, and a page is not to draw more than these, either. */
const MOST_BINS = 400_000;
/** Bins per pixel of the width that is asked for: there are up to two. */
const BINS_PER_PX = 2;

export class DensityLoader {
  readonly #requester = new Requester<Density>();
  readonly #beside: number;
  /** The last question, answered or on its way, and the wish that it answers. */
  #requested: { readonly wish: DensityWish; readonly widened: DensityWish } | null = null;

  /** `beside`: what is asked for on each side, as a part of the range. */
  constructor(beside = BESIDE) {
    this.#beside = beside;
  }

  /** State of the last question. */
  get state(): RequestState<Density> {
    return this.#requester.state;
  }

  /** True if a view is known, on its way, or could not be had just now. */
  knows(trace: Trace, wish: DensityWish): boolean {
    const clipped = widened(wish, trace.manifest.range, 0);
    const isKnown =
      this.#requested !== null && this.state.kind !== "failed" && covers(this.#requested.widened, clipped);
    return isKnown || (this.#requested !== null && isSame(this.#requested.wish, clipped));
  }

  /** Sees to it that a view is known. What could not be had is asked for again when the view is another one. */
  want(trace: Trace, wish: DensityWish): void {
    if (this.knows(trace, wish)) {
      return;
    }
    const run = trace.manifest.range;
    const clipped = widened(wish, run, 0);
    const wider = widened(wish, run, this.#beside);
    this.#requested = { wish: clipped, widened: wider };
    const { query, range, tracks } = wider;
    const question = { query, start: range.startTicks, end: range.endTicks, tracks, px: wider.widthPx, by: "lane" };
    const ask = async (signal: AbortSignal) => {
      return { wish: wider, grid: gridOf(range, await trace.api.ask("hit_bins", question, signal)) };
    };
    // It may be the question of before, whose answer does not hold any more.
    this.#requester.forget();
    void this.#requester.want(questionKey(trace.manifest, "hit_bins", question), ask, REST_MS);
  }

  /** Asks again with the next wish, if the last question failed in a way that may pass; false: it did not. */
  retry(): boolean {
    const { state } = this;
    const mayRetry = state.kind === "failed" && !state.failure.isFinal;
    if (mayRetry) {
      this.forget();
    }
    return mayRetry;
  }

  /** Marks the answer as outdated. */
  forget(): void {
    this.#requested = null;
  }

  clear(): void {
    this.forget();
    this.#requester.clear();
  }
}

export function gridOf(range: TickRange, answer: ToolAnswer): HitGrid {
  const column = (id: string) => valuesOf(answer, "bins", id);
  return HitGrid.fromColumns(range, factOf(answer, "bin_ticks"), {
    track: column("track").map(Number),
    row: column("row").map(Number),
    start: column("start").map(String),
    count: column("count").map(Number),
    busy: column("busy").map(String),
  });
}

/** True if an answer to one wish answers the other, and is not coarser than its own answer would be. */
export function covers(wider: DensityWish, wish: DensityWish): boolean {
  const inside = wider.range.startTicks <= wish.range.startTicks && wider.range.endTicks >= wish.range.endTicks;
  const isFine = scaleOf(wider) <= 1.01 * scaleOf(wish) && scaleOf(wider) >= scaleOf(wish) / 3;
  const tracks = new Set(wider.tracks);
  return wider.key === wish.key && inside && isFine && wish.tracks.every((track) => tracks.has(track));
}

/** The same with what lies beside it in the run; with fewer pixels where the bins would be too many. */
export function widened(wish: DensityWish, run: TickRange, beside: number): DensityWish {
  const { startTicks, endTicks } = wish.range;
  const by = BigInt(Math.round(Number(endTicks - startTicks) * beside));
  const start = startTicks - by > run.startTicks ? startTicks - by : run.startTicks;
  // Events that start at the last tick of the run are in it.
  const end = endTicks + by < run.endTicks + 1n ? endTicks + by : run.endTicks + 1n;
  const grown = Number(end - start) / Math.max(1, Number(endTicks - startTicks));
  const mostPx = Math.max(1, Math.floor(MOST_BINS / BINS_PER_PX / Math.max(1, wish.rows)));
  const widthPx = Math.max(1, Math.min(Math.ceil(wish.widthPx * grown), mostPx, 16_384));
  return { ...wish, range: { startTicks: ticks(start), endTicks: ticks(end > start ? end : start + 1n) }, widthPx };
}

function isSame(a: DensityWish, b: DensityWish): boolean {
  const isPlace = a.range.startTicks === b.range.startTicks && a.range.endTicks === b.range.endTicks;
  return a.key === b.key && isPlace && a.widthPx === b.widthPx && a.tracks.join() === b.tracks.join();
}

function scaleOf({ range, widthPx }: DensityWish): number {
  return Number(range.endTicks - range.startTicks) / widthPx;
}
