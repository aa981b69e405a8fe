/** Draws the tracks: grid, raster stretched to its lanes, texture of aggregates, counters, labels, sticky header. */

import type { TimeAxis } from "../base/axis";
import { counterColumns, counterPieces } from "../raster/counter";
import { labels } from "../raster/labels";
import type { ColorTable } from "../raster/palette";
import { type RasterImage, RowRaster } from "../raster/raster";
import { type GlyphWidths, measureGlyphs } from "../raster/text";
import { aggregateRuns } from "../raster/texture";
import { PINNED_EDGE_PX } from "../state/layout";
import type { CanvasTheme } from "./canvas-theme";
import { MissingPainter } from "./paint-missing";
import { ProvisionalPainter } from "./paint-provisional";
import { counterEnds, drawsOf, isProvisional, type Picture, rasterTracks } from "./picture";
import { RasterCanvas } from "./raster-canvas";
import type { SceneHeader, SceneTrack } from "./scene";
import type { Surface } from "./surface";
import type { TracksInput } from "./tracks-input";

const LABEL_PX = 11;

/** A row is drawn a pixel lower than it is high, so that nested rows can be told apart. */
const ROW_GAP_PX = 1;

export class TracksPainter {
  readonly #raster = new RowRaster();
  readonly #provisional = new ProvisionalPainter();
  readonly #missing = new MissingPainter();
  readonly #image: RasterCanvas;
  #glyphs: { readonly font: string; readonly widths: GlyphWidths } | null = null;
  readonly #hatches = new Map<string, CanvasPattern>();
  /** Labels of the last frame, by track, for the embedding API. */
  readonly shown: { track: number; ordinal: number; text: string }[] = [];

  constructor(image: HTMLCanvasElement) {
    this.#image = new RasterCanvas(image);
  }

  paint(surface: Surface, input: TracksInput): void {
    const { picture, theme, axis } = input;
    const { ratio, scene } = picture;
    const context = surface.begin(picture.view.widthPx, picture.heightPx, ratio);
    const image = this.#drawImage(picture, input.colors);
    this.shown.length = 0;
    context.fillStyle = theme.ground;
    context.fillRect(0, 0, picture.deviceView.widthPx, Math.ceil(picture.heightPx * ratio));
    const runs = this.#runsByLane(image);
    const paintHeaders = (isOf: (header: SceneHeader) => boolean) => {
      for (const header of scene.headers.filter(isOf)) {
        paintHeader(context, header, picture, theme);
      }
    };
    const paintThose = (isOf: (track: SceneTrack) => boolean) => {
      for (const track of scene.tracks.filter(isOf)) {
        this.#paintTrack(context, track, input, runs);
        input.over?.paintTrack(context, track, input);
      }
    };
    const bottomPx = Math.min(picture.heightPx, scene.endPx);
    paintHeaders((header) => !header.isSticky && !header.isPinned);
    if (input.showGrid) {
      paintGrid(context, axis, ratio, bottomPx, theme);
    }
    paintEdges(context, picture, scene.edgesPx, theme);
    paintThose((track) => track.place !== "sticky" && !track.isPinned);
    paintHeaders((header) => header.isSticky);
    paintThose((track) => track.place === "sticky");
    if (scene.pinnedPx === 0) {
      return;
    }
    // Over what is scrolled away below it.
    context.save();
    paintPinnedGround(context, picture, theme);
    paintHeaders((header) => header.isPinned);
    if (input.showGrid) {
      paintGrid(context, axis, ratio, scene.pinnedPx, theme);
    }
    paintEdges(context, picture, scene.pinnedEdgesPx, theme);
    paintThose((track) => track.isPinned);
    context.restore();
  }

  #drawImage(picture: Picture, colors: ColorTable): RasterImage {
    const lanes = Math.max(1, picture.scene.lanes);
    const image = this.#raster.draw(rasterTracks(picture), picture.deviceView, lanes, colors);
    this.#image.put(image);
    return image;
  }

  #runsByLane(image: RasterImage): ReadonlyMap<number, readonly { fromPx: number; toPx: number }[]> {
    const byLane = new Map<number, { fromPx: number; toPx: number }[]>();
    for (const run of aggregateRuns(image)) {
      const list = byLane.get(run.lane);
      if (list === undefined) {
        byLane.set(run.lane, [run]);
      } else {
        list.push(run);
      }
    }
    return byLane;
  }

  #paintTrack(
    context: CanvasRenderingContext2D,
    track: SceneTrack,
    input: TracksInput,
    runs: ReadonlyMap<number, readonly { fromPx: number; toPx: number }[]>,
  ): void {
    const { ratio } = input.picture;
    this.#missing.paint(context, track, input.picture, input.theme);
    const provisional = isProvisional(input.picture, track.track.id);
    if (track.firstLane < 0) {
      if (provisional) {
        this.#provisional.paintCounter(context, track, input);
      } else {
        paintCounter(context, track, input);
      }
      return;
    }
    if (provisional) {
      this.#provisional.paintBand(context, this.#image, track, input);
      return;
    }
    for (let row = 0; row < track.rows; row++) {
      const y0 = Math.round((track.topPx + row * track.rowPx) * ratio);
      const y1 = Math.round((track.topPx + (row + 1) * track.rowPx - ROW_GAP_PX) * ratio);
      const lane = track.firstLane + row;
      this.#image.drawLane(context, lane, y0, y1);
      const laneRuns = runs.get(lane);
      if (laneRuns === undefined) {
        continue;
      }
      // Where no bar is, the texture is not to be seen: it has the colour of what is there.
      const ground = track.place === "track" ? input.theme.ground : input.theme.panel;
      context.fillStyle = this.#hatchPattern(context, ratio, ground);
      for (const { fromPx, toPx } of laneRuns) {
        context.fillRect(fromPx, y0, toPx - fromPx, y1 - y0);
      }
    }
    if (track.place !== "track" || track.track.kind === "instant") {
      return;
    }
    this.#paintLabels(context, track, input);
  }

  #paintLabels(context: CanvasRenderingContext2D, track: SceneTrack, input: TracksInput): void {
    const { picture, colors, theme, nameOf, formOf } = input;
    const { view, ratio } = picture;
    context.save();
    context.scale(ratio, ratio);
    context.font = `${LABEL_PX}px ${theme.font}`;
    context.textBaseline = "middle";
    for (const label of labels(drawsOf(picture, track.track.id), view, this.#widths(context), nameOf, formOf)) {
      const row = label.row - track.firstRow;
      if (row < 0 || row >= track.rows) {
        continue;
      }
      context.fillStyle = colors.text(label.nameId, label.ticks);
      context.fillText(label.text, label.xPx, track.topPx + row * track.rowPx + (track.rowPx - ROW_GAP_PX) / 2 + 0.5);
      this.shown.push({ track: track.track.id, ordinal: label.ordinal, text: label.text });
    }
    context.restore();
  }

  #widths(context: CanvasRenderingContext2D): GlyphWidths {
    if (this.#glyphs?.font !== context.font) {
      const widths = measureGlyphs((text) => context.measureText(text).width);
      this.#glyphs = { font: context.font, widths };
    }
    return this.#glyphs.widths;
  }

  /** Fine diagonals in the colour of the ground: bins are told from slices not by colour alone. */
  #hatchPattern(context: CanvasRenderingContext2D, ratio: number, color: string): CanvasPattern | string {
    const key = `${color} ${ratio}`;
    const cached = this.#hatches.get(key);
    if (cached !== undefined) {
      return cached;
    }
    const size = Math.max(4, Math.round(5 * ratio));
    const tile = document.createElement("canvas");
    tile.width = size;
    tile.height = size;
    const pen = tile.getContext("2d");
    if (pen === null) {
      return "transparent";
    }
    pen.strokeStyle = color;
    pen.globalAlpha = 0.3;
    pen.lineWidth = Math.max(1, ratio);
    pen.beginPath();
    for (const shift of [-size, 0, size]) {
      pen.moveTo(shift - 1, size + 1);
      pen.lineTo(shift + size + 1, -1);
    }
    pen.stroke();
    const pattern = context.createPattern(tile, "repeat");
    if (pattern === null) {
      return "transparent";
    }
    this.#hatches.set(key, pattern);
    return pattern;
  }
}

function paintHeader(
  context: CanvasRenderingContext2D,
  header: SceneHeader,
  { ratio, deviceView }: Picture,
  theme: CanvasTheme,
): void {
  const y0 = Math.round(header.topPx * ratio);
  const y1 = Math.round((header.topPx + header.heightPx) * ratio);
  const hairline = Math.max(1, Math.round(ratio));
  context.fillStyle = theme.panel;
  context.fillRect(0, y0, deviceView.widthPx, y1 - y0);
  context.fillStyle = header.isSticky ? theme.lineStrong : theme.line;
  context.fillRect(0, y1 - hairline, deviceView.widthPx, hairline);
  context.fillStyle = theme.line;
  context.fillRect(0, y0, deviceView.widthPx, hairline);
}

/** The ground of what is pinned, and the line below it; leaves a clip, so that nothing is painted across the line. */
function paintPinnedGround(context: CanvasRenderingContext2D, picture: Picture, theme: CanvasTheme): void {
  const { ratio, scene, deviceView } = picture;
  const y1 = Math.round(scene.pinnedPx * ratio);
  const edge = Math.round((scene.pinnedPx - PINNED_EDGE_PX) * ratio);
  context.fillStyle = theme.lineStrong;
  context.fillRect(0, edge, deviceView.widthPx, y1 - edge);
  context.beginPath();
  context.rect(0, 0, deviceView.widthPx, edge);
  context.clip();
  context.fillStyle = theme.ground;
  context.fillRect(0, 0, deviceView.widthPx, edge);
}

function paintGrid(
  context: CanvasRenderingContext2D,
  axis: TimeAxis,
  ratio: number,
  bottomPx: number,
  theme: CanvasTheme,
): void {
  const bottom = Math.round(bottomPx * ratio);
  context.fillStyle = theme.line;
  context.globalAlpha = 0.7;
  for (const mark of axis.marks) {
    context.fillRect(Math.round(mark.xPx * ratio), 0, Math.max(1, Math.round(ratio)), bottom);
  }
  context.globalAlpha = 1;
}

function paintEdges(
  context: CanvasRenderingContext2D,
  { ratio, deviceView }: Picture,
  edgesPx: readonly number[],
  theme: CanvasTheme,
): void {
  const hairline = Math.max(1, Math.round(ratio));
  context.fillStyle = theme.line;
  context.globalAlpha = 0.55;
  for (const edge of edgesPx) {
    context.fillRect(0, Math.round(edge * ratio) - hairline, deviceView.widthPx, hairline);
  }
  context.globalAlpha = 1;
}

const COUNTER_INSET_PX = 4;

/** Opacity of the line behind a counter's last sample, and its dashes. */
const UNKNOWN_OPACITY = 0.55;
const UNKNOWN_DASH_PX = 3;

function paintCounter(context: CanvasRenderingContext2D, entry: SceneTrack, { picture, theme }: TracksInput): void {
  const { track, topPx, rowPx } = entry;
  const { ratio, deviceView } = picture;
  const values = track.values ?? { min: 0, max: 1 };
  const low = Math.min(0, values.min);
  const high = Math.max(0, values.max);
  const heightPx = (rowPx - 2 * COUNTER_INSET_PX) * ratio;
  const columns = counterColumns(drawsOf(picture, track.id), deviceView, counterEnds(picture, track));
  context.save();
  context.translate(0, Math.round((topPx + COUNTER_INSET_PX) * ratio));
  const zeroPx = high > low ? (high / (high - low)) * heightPx : heightPx;
  context.fillStyle = theme.accent;
  context.strokeStyle = theme.accent;
  for (const { isKnown, upper, lower, mean } of counterPieces(columns, low, high, heightPx)) {
    context.lineWidth = Math.max(1, 1.2 * ratio);
    if (!isKnown) {
      context.globalAlpha = UNKNOWN_OPACITY;
      context.setLineDash([UNKNOWN_DASH_PX * ratio, UNKNOWN_DASH_PX * ratio]);
      strokeAlong(context, mean);
      context.setLineDash([]);
      continue;
    }
    // The area down to zero says how much, the band between minimum and maximum what is hidden in a pixel.
    context.globalAlpha = 0.16;
    context.beginPath();
    context.moveTo(upper[0]!, zeroPx);
    lineAlong(context, upper);
    context.lineTo(upper[upper.length - 2]!, zeroPx);
    context.fill();
    context.globalAlpha = 0.4;
    context.beginPath();
    lineAlong(context, upper);
    for (let k = lower.length - 2; k >= 0; k -= 2) {
      context.lineTo(lower[k]!, lower[k + 1]!);
    }
    context.fill();
    context.globalAlpha = 1;
    strokeAlong(context, mean);
  }
  context.restore();
}

function strokeAlong(context: CanvasRenderingContext2D, line: readonly number[]): void {
  context.beginPath();
  lineAlong(context, line);
  context.stroke();
}

function lineAlong(context: CanvasRenderingContext2D, line: readonly number[]): void {
  for (let k = 0; k < line.length; k += 2) {
    context.lineTo(line[k]!, line[k + 1]!);
  }
}
