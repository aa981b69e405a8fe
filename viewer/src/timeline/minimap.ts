/**
 * The minimap: the whole run, one thin lane per group. Its pages are few and are loaded once, over HTTP and apart from
 * the view's pages, so that they never leave the cache.
 */

import {
  blockOf,
  Composer,
  coverage,
  decodePage,
  fit,
  missingBlocks,
  PageCache,
  pageName,
  resolve,
  type ShapeIndex,
  sharpLevel,
  type Track,
  type TrackRequest,
  terminalsAbove,
  type View,
  visibleRange,
} from "@tilescope/client";
import type { Theme } from "../raster/palette";
import { RowRaster } from "../raster/raster";
import { namesVersion, type Session } from "../state/session";
import type { Trace } from "../state/trace";
import type { CanvasTheme } from "./canvas-theme";
import { requestOf } from "./scene";
import { Surface } from "./surface";

/** More lanes than this are thinner than a pixel. */
const MAX_LANES = 30;
const PADDING_PX = 3;
const HEIGHT_PX = 36;

/** Shape records that are loaded at the same time. */
const MAX_SHAPES = 4;

/** The rollups that the minimap shows, in screen order: those with the most busy time where there are too many. */
export function minimapTracks(trace: Trace): readonly Track[] {
  const rollups = [...trace.tracks.values()].filter((track) => track.kind === "rollup" && track.events > 0n);
  if (rollups.length <= MAX_LANES) return rollups;
  const busiest = rollups.toSorted((a, b) => (a.busyTicks < b.busyTicks ? 1 : -1)).slice(0, MAX_LANES);
  return busiest.toSorted((a, b) => a.id - b.id);
}

export class MinimapPainter {
  readonly #trace: Trace;
  readonly #surface: Surface;
  readonly #image: HTMLCanvasElement;
  readonly #tracks: readonly Track[];
  readonly #cache = new PageCache(64 * 1024 * 1024);
  readonly #shapes = new Map<number, ShapeIndex>();
  readonly #composer: Composer;
  readonly #asked = new Set<string>();
  /** Blocks whose shape records were asked for, and how many of them are on their way. */
  readonly #askedBlocks = new Set<number>();
  #loadingShapes = 0;
  readonly #onArrival: () => void;
  readonly #raster = new RowRaster();
  #painted = "";
  #arrivals = 0;

  constructor(trace: Trace, canvas: HTMLCanvasElement, image: HTMLCanvasElement, onArrival: () => void) {
    this.#trace = trace;
    this.#surface = new Surface(canvas);
    this.#image = image;
    this.#tracks = minimapTracks(trace);
    this.#onArrival = onArrival;
    this.#composer = new Composer(this.#shapes, this.#lookup, trace.manifest.rootLevel);
    for (const block of new Set(this.#tracks.map((track) => blockOf(track.id)))) void this.#loadShape(block);
  }

  /** Paints when anything but the position of the view has changed. */
  paint(session: Session, view: View, values: CanvasTheme, theme: Theme, ratio: number): void {
    const colors = session.colors(theme);
    const key = [view.widthPx, ratio, theme, this.#arrivals, namesVersion.peek()].join(" ");
    if (key === this.#painted) return;
    this.#painted = key;
    const whole = fit(this.#trace.manifest.range, Math.round(view.widthPx * ratio));
    const requests = this.#tracks.map(requestOf);
    this.#loadChildShapes(requests, whole);
    this.#loadPages(requests, whole);
    const context = this.#surface.begin(view.widthPx, HEIGHT_PX, ratio);
    context.fillStyle = values.panel;
    context.fillRect(0, 0, whole.widthPx, HEIGHT_PX * ratio);
    if (this.#tracks.length === 0) return;
    const image = this.#raster.draw(
      this.#tracks.map((track, lane) => ({
        kind: track.kind,
        draws: this.#draws(requests[lane]!, whole),
        firstLane: lane,
        firstRow: 0,
        rows: 1,
        lanes: track.lanes,
      })),
      whole,
      this.#tracks.length,
      colors,
    );
    this.#image.width = image.widthPx;
    this.#image.height = image.lanes;
    this.#image.getContext("2d")?.putImageData(new ImageData(image.pixels, image.widthPx, image.lanes), 0, 0);
    context.imageSmoothingEnabled = false;
    const lanePx = ((HEIGHT_PX - 2 * PADDING_PX) * ratio) / image.lanes;
    const gapPx = lanePx >= 4 ? Math.max(1, Math.round(ratio)) : 0;
    for (let lane = 0; lane < image.lanes; lane++) {
      const y0 = Math.round(PADDING_PX * ratio + lane * lanePx);
      const y1 = Math.round(PADDING_PX * ratio + (lane + 1) * lanePx) - gapPx;
      context.drawImage(this.#image, 0, lane, image.widthPx, 1, 0, y0, image.widthPx, Math.max(1, y1 - y0));
    }
  }

  /** Time at a place of the minimap: the same fit as the picture's. */
  wholeView(widthPx: number): View {
    return fit(this.#trace.manifest.range, widthPx);
  }

  #draws(request: TrackRequest, whole: View) {
    const shape = this.#shapes.get(blockOf(request.track));
    if (shape === undefined) return [];
    return coverage(this.#lookup, shape, request, whole, this.#trace.manifest.rootLevel, this.#composer).draws;
  }

  readonly #lookup = (track: number, level: number, index: number) => this.#cache.lookup(track, level, index);

  /** The shape records of what is inside rollups whose own tiles are too coarse for the whole run. */
  #loadChildShapes(requests: readonly TrackRequest[], whole: View): void {
    const { rootLevel } = this.#trace.manifest;
    const level = sharpLevel(whole.ticksPerPx, rootLevel);
    for (const request of requests) {
      if (terminalsAbove(this.#shapes, request, visibleRange(whole), level, rootLevel).length === 0) continue;
      for (const block of missingBlocks(this.#shapes, request.children ?? [])) {
        if (this.#loadingShapes >= MAX_SHAPES) return;
        if (!this.#askedBlocks.has(block)) void this.#loadShape(block);
      }
    }
  }

  async #loadShape(block: number): Promise<void> {
    this.#askedBlocks.add(block);
    this.#loadingShapes += 1;
    try {
      this.#shapes.set(block, await this.#trace.api.shape(block));
    } catch {
      // The timeline asks for the same record and says what is wrong with it; the minimap stays without these lanes.
      return;
    } finally {
      this.#loadingShapes -= 1;
    }
    this.#arrived();
  }

  #loadPages(requests: readonly TrackRequest[], whole: View): void {
    const { rootLevel } = this.#trace.manifest;
    const { partsOf } = this.#composer;
    const wants = resolve({ view: whole, tracks: requests, rootLevel, shapes: this.#shapes, marginPx: 0, partsOf });
    for (const { key, name, tier } of wants) {
      if (tier !== "sharp" && tier !== "coarse") continue;
      if (this.#asked.has(name)) continue;
      this.#asked.add(name);
      this.#trace.api.page(key).then(
        (bytes) => {
          this.#cache.add(decodePage(bytes, key));
          this.#arrived();
        },
        () => this.#asked.delete(pageName(key)),
      );
    }
  }

  #arrived(): void {
    this.#arrivals += 1;
    this.#onArrival();
  }
}
