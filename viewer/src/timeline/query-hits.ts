/** The hits of one query, as the timeline and the minimap paint them: asked for as pictures are painted. */

import { computed, effect, untracked } from "@preact/signals";
import { visibleRange } from "@tilescope/client";
import { lastOf } from "../state/asking";
import { busyRange } from "../state/first-view";
import { DensityLoader, type DensityWish } from "../state/hit-density";
import { retries } from "../state/link";
import { type ProblemSource, setProblem } from "../state/problems";
import type { Trace } from "../state/trace";
import { arrangement } from "../state/tracks";
import { minimapView } from "./brush";
import { minimapTracks } from "./minimap";
import { type HitSource, HitsPainter } from "./paint-hits";
import type { Picture } from "./picture";
import type { Stage } from "./stage";

let painted = 0;

/** A number that no other painter over the tracks has had: what is drawn from it is drawn anew. */
export function nextVersion(): number {
  painted += 1;
  return painted;
}

/** Nothing is looked for before `follow`. */
export class QueryHits implements HitSource {
  readonly painter = new HitsPainter(this);
  readonly #stage: Stage;
  readonly #view = new DensityLoader();
  readonly #run = new DensityLoader(0);
  readonly #viewDensity = computed(() => lastOf(this.#view.state)?.answer ?? null);
  readonly #runDensity = computed(() => lastOf(this.#run.state)?.answer ?? null);
  readonly #problem = computed(() => (this.#view.state.kind === "failed" ? this.#view.state.failure.message : null));
  #trace: Trace | null = null;
  #key = "";
  #query = "";
  version = nextVersion();

  /** `source`: whose hits they are. */
  constructor(stage: Stage, source: ProblemSource = "hits") {
    this.#stage = stage;
    effect(() => {
      void this.#viewDensity.value;
      void this.#runDensity.value;
      const problem = this.#problem.value;
      setProblem(source, problem === null ? null : `Hits could not be marked: ${problem}`);
      this.repaint();
    });
    effect(() => {
      void retries.value;
      untracked(() => this.#retry());
    });
  }

  get grid(): HitSource["grid"] {
    return this.#viewDensity.peek()?.grid ?? null;
  }

  get runGrid(): HitSource["runGrid"] {
    return this.#runDensity.peek()?.grid ?? null;
  }

  get isBlind(): boolean {
    return this.grid === null && this.#problem.peek() !== null;
  }

  get isStale(): boolean {
    const density = this.#viewDensity.peek();
    return density !== null && !isOfSearch(density.wish.key, this.#key);
  }

  /** Looks for another query; `key` as `searchKey` makes it. */
  follow(trace: Trace, key: string, query: string): void {
    this.#trace = trace;
    this.#key = key;
    this.#query = query;
    this.repaint();
  }

  /** Asks again with the next picture for what could not be had. */
  #retry(): void {
    for (const loader of [this.#view, this.#run]) {
      if (loader.retry()) {
        this.#stage.invalidate();
      }
    }
  }

  /** Asks again with the next picture: there may be more hits now. */
  forget(): void {
    this.#view.forget();
    this.#run.forget();
    this.#stage.invalidate();
  }

  clear(): void {
    this.#trace = null;
    this.#key = "";
    this.#view.clear();
    this.#run.clear();
  }

  repaint(): void {
    this.version = nextVersion();
    this.#stage.invalidate();
  }

  want({ view, scene }: Picture): void {
    const trace = this.#trace;
    if (trace === null) {
      return;
    }
    const lanes = new Map(scene.tracks.filter(({ firstLane }) => firstLane >= 0).map(({ track }) => [track.id, track]));
    const rows = [...lanes.values()].reduce((sum, track) => sum + (track.kind === "rollup" ? 1 : track.rows), 0);
    const wish = { key: this.#key, query: this.#query, widthPx: Math.ceil(view.widthPx) };
    if (lanes.size > 0) {
      this.#view.want(trace, { ...wish, range: visibleRange(view), tracks: [...lanes.keys()], rows });
    }
    this.#wantRun(trace, wish, minimapView(trace.manifest.range, busyRange.peek(), view));
  }

  #wantRun(trace: Trace, wish: Pick<DensityWish, "key" | "query" | "widthPx">, whole: Picture["view"]): void {
    const tracks = minimapTracks(trace, arrangement.peek()).map(({ id }) => id);
    if (tracks.length > 0) {
      this.#run.want(trace, { ...wish, range: visibleRange(whole), tracks, rows: tracks.length });
    }
  }
}

/** Whether a key is of the same search as another, be it of another revision of a run that grows. */
function isOfSearch(key: string, other: string): boolean {
  const parts = (text: string) => [text.split(" ").slice(0, 2), text.split(" ").slice(4)].flat().join(" ");
  return parts(key) === parts(other);
}
