/** Paints the hits of a search over the tracks and the minimap: what is no hit is veiled, so that hits are what one sees. */

import type { Track, View } from "@tilescope/client";
import { HIT_ROWS, type HitImage, HitRaster, type HitTrack } from "../raster/hit-raster";
import type { ShownHits } from "../state/drawn-hits";
import { isProvisional, type Picture, rasterTrack } from "./picture";
import type { SceneTrack } from "./scene";
import type { OverTracks, TracksInput } from "./tracks-input";

/** Hits that are known now. */
export interface HitSource {
  readonly version: number;
  readonly inView: ShownHits;
  /** Hits of the run, for the minimap. */
  readonly inRun: ShownHits;
  /** A picture is painted: sees to it that its hits become known. */
  want(picture: Picture): void;
}

interface HitColors {
  readonly name: string;
  readonly hit: string;
  readonly hitPacked: number;
  readonly ground: number;
  readonly panel: number;
}

/** Opacity of the veil over what is no hit. */
const VEIL = 0.74;
/** Marks of the search before are paler, until those of this one are here. */
const STALE = 0.4;
const MINIMAP_ROWS = 5;

export class HitsPainter implements OverTracks {
  readonly #source: HitSource;
  readonly #raster = new HitRaster();
  readonly #minimapRaster = new HitRaster();
  readonly #canvas = document.createElement("canvas");
  readonly #minimapCanvas = document.createElement("canvas");
  #colors: HitColors | null = null;
  #picture: Picture | null = null;
  #image: HitImage | null = null;

  constructor(source: HitSource) {
    this.#source = source;
  }

  get version(): number {
    return this.#source.version;
  }

  /** Number of pixels of the last picture that each lane marks, and its outlined slices: for tests. */
  get image(): HitImage | null {
    return this.#image;
  }

  paintTrack(context: CanvasRenderingContext2D, track: SceneTrack, input: TracksInput): void {
    const { picture, theme } = input;
    const { ratio, deviceView } = picture;
    const colors = this.#colorsOf(context.canvas, theme.ground);
    if (this.#picture !== picture) {
      this.#picture = picture;
      this.#source.want(picture);
      this.#image = this.#draw(picture, colors);
    }
    if (this.#source.inView.isBlind) {
      return;
    }
    if (track.firstLane < 0) {
      const [y0, y1] = [Math.round(track.topPx * ratio), Math.round((track.topPx + track.rowPx) * ratio)];
      context.globalAlpha = VEIL;
      context.fillStyle = theme.ground;
      context.fillRect(0, y0, deviceView.widthPx, y1 - y0);
      context.globalAlpha = 1;
      return;
    }
    const spans = this.#image?.spans ?? [];
    context.imageSmoothingEnabled = false;
    for (let row = 0; row < track.rows; row++) {
      const y0 = Math.round((track.topPx + row * track.rowPx) * ratio);
      const y1 = Math.round((track.topPx + (row + 1) * track.rowPx - 1) * ratio);
      this.#drawLane(context, track.firstLane + row, y0, y1);
    }
    if (this.#source.inView.isStale) {
      return;
    }
    context.strokeStyle = colors.hit;
    context.lineWidth = Math.max(1, 1.5 * ratio);
    const inset = context.lineWidth / 2;
    for (const { lane, fromPx, toPx } of spans) {
      const row = lane - track.firstLane;
      if (row < 0 || row >= track.rows) {
        continue;
      }
      const y0 = Math.round((track.topPx + row * track.rowPx) * ratio);
      const y1 = Math.round((track.topPx + (row + 1) * track.rowPx - 1) * ratio);
      context.strokeRect(fromPx + inset, y0 + inset, toPx - fromPx - 2 * inset, y1 - y0 - 2 * inset);
    }
  }

  paintLane(context: CanvasRenderingContext2D, rollup: Track, y0: number, y1: number, view: View): void {
    const colors = this.#colorsOf(context.canvas, "");
    const lane: HitTrack = {
      ...{ id: rollup.id, kind: rollup.kind, draws: [], firstLane: 0, firstRow: 0, rows: 1, lanes: rollup.lanes },
      veil: colors.panel,
      grid: this.#source.inRun.gridOf(rollup.id),
    };
    const { isStale, isBlind } = this.#source.inRun;
    if (isBlind) {
      return;
    }
    const mark = isStale ? faded(colors.hitPacked) : colors.hitPacked;
    const image = this.#minimapRaster.draw([lane], view, 1, mark);
    put(this.#minimapCanvas, image);
    context.imageSmoothingEnabled = false;
    const { widthPx } = image;
    context.drawImage(this.#minimapCanvas, 0, HIT_ROWS - MINIMAP_ROWS, widthPx, MINIMAP_ROWS, 0, y0, widthPx, y1 - y0);
  }

  #draw(picture: Picture, colors: HitColors): HitImage {
    const tracks = picture.scene.tracks.filter(({ firstLane }) => firstLane >= 0);
    const { gridOf, isStale } = this.#source.inView;
    const lanes = tracks.map((entry) => ({
      ...rasterTrack(picture, entry),
      id: isProvisional(picture, entry.track.id) ? -1 : entry.track.id,
      rows: entry.rows,
      veil: entry.place === "track" ? colors.ground : colors.panel,
      grid: gridOf(entry.track.id),
    }));
    const mark = isStale ? faded(colors.hitPacked) : colors.hitPacked;
    const image = this.#raster.draw(lanes, picture.deviceView, Math.max(1, picture.scene.lanes), mark);
    put(this.#canvas, image);
    return image;
  }

  #drawLane(context: CanvasRenderingContext2D, lane: number, y0: number, y1: number): void {
    const { width } = this.#canvas;
    context.drawImage(this.#canvas, 0, lane * HIT_ROWS, width, HIT_ROWS, 0, y0, width, y1 - y0);
  }

  /** Colours of the style sheet, as the theme has them now. */
  #colorsOf(element: Element, name: string): HitColors {
    if (this.#colors === null || (name !== "" && this.#colors.name !== name)) {
      const style = getComputedStyle(element);
      const value = (property: string) => style.getPropertyValue(property).trim();
      this.#colors = {
        ...{ name, hit: value("--hit"), hitPacked: packed(value("--hit"), 1) },
        ground: packed(value("--ground"), VEIL),
        panel: packed(value("--panel"), VEIL),
      };
    }
    return this.#colors;
  }
}

function put(canvas: HTMLCanvasElement, { widthPx, pixels }: HitImage): void {
  const rows = pixels.length / widthPx;
  if (canvas.width !== widthPx || canvas.height !== rows) {
    canvas.width = widthPx;
    canvas.height = rows;
  }
  const data = new ImageData(new Uint8ClampedArray(pixels.buffer), widthPx, rows);
  canvas.getContext("2d")?.putImageData(data, 0, 0);
}

/** A colour of the style sheet as image data has it. */
function packed(color: string, opacity: number): number {
  // Colours of the system have names: a canvas says what they are.
  const pen = document.createElement("canvas").getContext("2d")!;
  pen.fillStyle = color;
  const [, red, green, blue] = /^#?(..)(..)(..)$/.exec(pen.fillStyle) ?? [];
  const [r, g, b] = [red, green, blue].map((part) => Number.parseInt(part ?? "80", 16));
  return ((Math.round(255 * opacity) << 24) | (b! << 16) | (g! << 8) | r!) >>> 0;
}

function faded(color: number): number {
  return ((Math.round(255 * STALE) << 24) | (color & 0xffffff)) >>> 0;
}
