/** The hits of one query, as the timeline and the minimap paint them: asked for as pictures are painted. */

import { computed, effect, signal, untracked } from "@preact/signals";
import { visibleRange } from "@tilescope/client";
import { DrawnHits, drawnHits, type ShownHits } from "../state/drawn-hits";
import { askedHits, DensityLoader, type DensityWish } from "../state/hit-density";
import { retries } from "../state/link";
import { type ScreenPart, setPending, setProblem } from "../state/problems";
import type { Trace } from "../state/trace";
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
  readonly #view = new DrawnHits();
  readonly #run = new DensityLoader(0);
  readonly #key = signal("");
  readonly #inView = computed(() => this.#view.shown(this.#key.value));
  readonly #inRun = computed(() =>
    drawnHits(askedHits(this.#run.state, this.#key.value), this.#stage.pane.shifts.value),
  );
  #trace: Trace | null = null;
  #query = "";
  version = nextVersion();

  /** `part`: whose hits they are. */
  constructor(stage: Stage, part: ScreenPart = "hits") {
    this.#stage = stage;
    effect(() => {
      const [inView, inRun] = [this.#inView.value, this.#inRun.value];
      setProblem(this.#stage.pane, part, problemText(inView, inRun));
      setPending(this.#stage.pane, part, inView.isPending || inRun.isPending);
      this.repaint();
    });
    effect(() => {
      void retries.value;
      untracked(() => this.#retry());
    });
  }

  get inView(): ShownHits {
    return this.#inView.peek();
  }

  get inRun(): ShownHits {
    return this.#inRun.peek();
  }

  /** Looks for another query; `key` as `searchKey` makes it. */
  follow(trace: Trace, key: string, query: string): void {
    this.#trace = trace;
    this.#key.value = key;
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
    this.#key.value = "";
    this.#view.clear();
    this.#run.clear();
  }

  repaint(): void {
    this.version = nextVersion();
    this.#stage.invalidate();
  }

  want({ view, scene, shifts = null }: Picture): void {
    const trace = this.#trace;
    if (trace === null) {
      return;
    }
    const lanes = new Map(scene.tracks.filter(({ firstLane }) => firstLane >= 0).map(({ track }) => [track.id, track]));
    const rows = [...lanes.values()].reduce((sum, track) => sum + (track.kind === "rollup" ? 1 : track.rows), 0);
    const wish = { key: this.#key.peek(), query: this.#query, widthPx: Math.ceil(view.widthPx) };
    if (lanes.size > 0) {
      this.#view.want(trace, { ...wish, range: visibleRange(view), tracks: [...lanes.keys()], rows }, shifts);
    }
    this.#wantRun(trace, wish, minimapView(trace.manifest.range, this.#stage.pane.busyRange.peek(), view));
  }

  #wantRun(trace: Trace, wish: Pick<DensityWish, "key" | "query" | "widthPx">, whole: Picture["view"]): void {
    const tracks = minimapTracks(trace, this.#stage.pane.arrangement.peek()).map(({ id }) => id);
    if (tracks.length > 0) {
      this.#run.want(trace, { ...wish, range: visibleRange(whole), tracks, rows: tracks.length });
    }
  }
}

/** Text for the status line: either of the two may be there without the other. */
function problemText(inView: ShownHits, inRun: ShownHits): string | null {
  if (inView.problem !== null) {
    return `Hits could not be marked: ${inView.problem}`;
  }
  return inRun.problem === null ? null : `Hits could not be marked in the minimap: ${inRun.problem}`;
}
