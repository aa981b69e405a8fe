/** The canvas of the map: names at the left, the axis above, and layers over each other, the finest last. */

import { type TickRange, type TimeBase, type TimeFormat, type View, xOfTick } from "@tilescope/client";
import type { PlotColors } from "../../answers/chart-style";
import { timeAxis } from "../../base/axis";
import { type MapPalette, mapPixels } from "./image";
import type { Layer, MapRow } from "./layer";
import type { Band } from "./order";
import type { RowView } from "./row-view";

export const NAMES_PX = 168;
export const AXIS_PX = 22;
const NAME_ROW_PX = 13;
/** Height of the name of a group. */
const BAND_PX = 15;
/** Lines above groups are at least so far apart: more of them would hide the map. */
const LINES_PX = 6;
/** Pixels of pictures that are kept: 64 MB. Those of a frame are fewer. */
const MOST_KEPT_PIXELS = 1 << 24;

/** Rows of one layer in strips: which rows of it divide the rows of the map from `from` to `to`. */
export interface Strip {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly number[];
}

export interface MapDrawing {
  readonly layers: readonly { readonly layer: Layer; readonly strips: readonly Strip[]; readonly isParts: boolean }[];
  readonly view: View;
  readonly rows: RowView;
  /** Rows of the map, in their order. */
  readonly names: readonly MapRow[];
  readonly bands: readonly Band[];
  readonly chosen: number;
  readonly brush: { readonly view: TickRange; readonly rows: RowView } | null;
}

export class MapPainter {
  readonly #canvas: HTMLCanvasElement;
  /** Pictures of strips, for as long as their layer, rows and colours are the same. */
  readonly #images = new Map<string, HTMLCanvasElement>();
  #keptPixels = 0;
  readonly #numbers = new WeakMap<object, number>();
  #next = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  paint(drawing: MapDrawing, palette: MapPalette, colors: PlotColors, time: TimeBase, format: TimeFormat): void {
    const canvas = this.#canvas;
    const ratio = devicePixelRatio;
    const [widthPx, heightPx] = [canvas.clientWidth, canvas.clientHeight];
    const [width, height] = [Math.round(widthPx * ratio), Math.round(heightPx * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const context = canvas.getContext("2d", { alpha: false })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colors.ground;
    context.fillRect(0, 0, widthPx, heightPx);
    context.imageSmoothingEnabled = false;
    const { rows, view } = drawing;
    const rowPx = (heightPx - AXIS_PX) / (rows.to - rows.from);
    const yOf = (row: number) => AXIS_PX + (row - rows.from) * rowPx;
    context.save();
    context.beginPath();
    context.rect(NAMES_PX, AXIS_PX, widthPx - NAMES_PX, heightPx - AXIS_PX);
    context.clip();
    for (const { layer, strips } of drawing.layers) {
      this.#paintLayer(context, layer, strips, view, { rowPx: rowPx * ratio, yOf, heightPx }, palette);
    }
    paintOutline(context, drawing, colors, yOf, widthPx);
    context.restore();
    paintNames(context, drawing, colors, rowPx, yOf, heightPx);
    paintBands(context, drawing, colors, yOf, widthPx, heightPx);
    paintAxis(context, view, time, format, colors);
  }

  #paintLayer(
    context: CanvasRenderingContext2D,
    layer: Layer,
    strips: readonly Strip[],
    view: View,
    place: { readonly rowPx: number; readonly yOf: (row: number) => number; readonly heightPx: number },
    palette: MapPalette,
  ): void {
    const { startTicks, columnTicks, columns } = layer;
    const left = NAMES_PX + xOfTick(view, startTicks);
    const columnPx = Number(columnTicks) / view.ticksPerPx;
    const first = Math.max(0, Math.floor((NAMES_PX - left) / columnPx));
    const last = Math.min(columns, Math.ceil((NAMES_PX + view.widthPx - left) / columnPx));
    if (last <= first) {
      return;
    }
    for (const { from, to, rows } of strips) {
      const [top, bottom] = [place.yOf(from), place.yOf(to)];
      if (bottom <= AXIS_PX || top >= place.heightPx) {
        continue;
      }
      // Neighbours are one where they are lower than a pixel: by powers of two, so that pictures can be kept.
      const rowsPerPx = rows.length / Math.max(1e-6, (to - from) * place.rowPx);
      const each = 2 ** Math.max(0, Math.ceil(Math.log2(rowsPerPx)));
      const image = this.#image(layer, rows, each, palette);
      // Of the last picture row only a part may be there.
      const imageRows = rows.length / each;
      context.drawImage(
        image,
        first,
        0,
        last - first,
        imageRows,
        left + first * columnPx,
        top,
        (last - first) * columnPx,
        bottom - top,
      );
    }
  }

  #image(layer: Layer, rows: readonly number[], each: number, palette: MapPalette): HTMLCanvasElement {
    const key = [this.#number(layer), this.#number(rows), this.#number(palette), each].join(" ");
    const image = this.#images.get(key) ?? makeImage(layer, rows, each, palette);
    this.#keptPixels += this.#images.delete(key) ? 0 : image.width * image.height;
    this.#images.set(key, image);
    // Those that were drawn longest ago stand first.
    for (const [oldest, { width, height }] of this.#images) {
      if (this.#keptPixels <= MOST_KEPT_PIXELS || oldest === key) {
        break;
      }
      this.#images.delete(oldest);
      this.#keptPixels -= width * height;
    }
    return image;
  }

  #number(value: object): number {
    const number = this.#numbers.get(value) ?? this.#next++;
    this.#numbers.set(value, number);
    return number;
  }
}

function makeImage(layer: Layer, rows: readonly number[], each: number, palette: MapPalette): HTMLCanvasElement {
  const image = document.createElement("canvas");
  image.width = layer.columns;
  image.height = Math.max(1, Math.ceil(rows.length / each));
  const pixels = image.getContext("2d")!.createImageData(image.width, image.height);
  pixels.data.set(mapPixels(layer, rows, each, palette));
  image.getContext("2d")!.putImageData(pixels, 0, 0);
  return image;
}

function paintOutline(
  context: CanvasRenderingContext2D,
  { chosen, brush, view }: MapDrawing,
  colors: PlotColors,
  yOf: (row: number) => number,
  widthPx: number,
): void {
  context.strokeStyle = colors.text;
  if (chosen >= 0) {
    context.lineWidth = 1.5;
    const [top, bottom] = [yOf(chosen), yOf(chosen + 1)];
    const padding = Math.max(0, (3 - (bottom - top)) / 2);
    context.strokeRect(NAMES_PX - 4, top - padding, widthPx - NAMES_PX + 8, bottom - top + 2 * padding);
  }
  if (brush !== null) {
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    const [left, right] = [xOfTick(view, brush.view.startTicks), xOfTick(view, brush.view.endTicks)];
    const [top, bottom] = [yOf(brush.rows.from), yOf(brush.rows.to)];
    context.strokeRect(NAMES_PX + left, top, right - left, bottom - top);
    context.setLineDash([]);
  }
}

/** Names of rows where they have room, and of their parts where these have; else of every so many rows. */
function paintNames(
  context: CanvasRenderingContext2D,
  { names, rows, layers, chosen }: MapDrawing,
  colors: PlotColors,
  rowPx: number,
  yOf: (row: number) => number,
  heightPx: number,
): void {
  context.save();
  context.beginPath();
  context.rect(0, AXIS_PX, NAMES_PX, heightPx - AXIS_PX);
  context.clip();
  context.font = `11px ${colors.font}`;
  context.textBaseline = "middle";
  context.textAlign = "right";
  const write = (text: string, y: number, roomPx = NAMES_PX - 12) => context.fillText(text, NAMES_PX - 8, y, roomPx);
  const dividedY = (row: number) => Math.max(yOf(row), AXIS_PX) + 8;
  context.fillStyle = colors.text;
  const divided = new Set<number>();
  for (const { layer, strips, isParts } of layers) {
    for (const { from, to, rows: parts } of isParts ? strips : []) {
      const partPx = ((to - from) * rowPx) / parts.length;
      if (partPx >= NAME_ROW_PX) {
        divided.add(from);
        parts.forEach((part, k) => {
          const row = layer.rows[part]!;
          const process = layer.level === "track" && row.process !== "" ? `${row.process} · ` : "";
          const y = yOf(from) + (k + 0.5) * partPx;
          // The name of the divided row stands at the left of the first.
          const isBeside = Math.abs(y - dividedY(from)) < NAME_ROW_PX;
          write(`${process}${row.name}`, y, isBeside ? NAMES_PX / 2 - 4 : undefined);
        });
      }
    }
  }
  const stride = Math.max(1, Math.ceil(NAME_ROW_PX / rowPx));
  for (let row = Math.max(0, Math.floor(rows.from)); row < Math.min(names.length, rows.to); row++) {
    // The name of the chosen row takes the place of those around it.
    const hasRoom = chosen < 0 || Math.abs(row - chosen) * rowPx >= NAME_ROW_PX;
    if (row === chosen || (row % stride === stride >> 1 && hasRoom)) {
      if (divided.has(row)) {
        context.textAlign = "left";
        context.fillText(names[row]!.name, 4, dividedY(row), NAMES_PX / 2 - 12);
        context.textAlign = "right";
      } else {
        write(names[row]!.name, Math.max(yOf(row + 0.5), AXIS_PX + NAME_ROW_PX / 2));
      }
    }
  }
  context.restore();
}

/** A line above each group, and its name at the left of the map where it has room; that of the topmost stays in view. */
function paintBands(
  context: CanvasRenderingContext2D,
  { bands, names }: MapDrawing,
  colors: PlotColors,
  yOf: (row: number) => number,
  widthPx: number,
  heightPx: number,
): void {
  context.font = `11px ${colors.font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.lineWidth = 1;
  let [freeY, lineY] = [AXIS_PX, AXIS_PX];
  bands.forEach(({ from, name }, k) => {
    const [top, bottom] = [yOf(from), yOf(bands[k + 1]?.from ?? names.length)];
    if (bottom <= AXIS_PX || top >= heightPx) {
      return;
    }
    if (top >= lineY + LINES_PX) {
      lineY = top;
      context.strokeStyle = colors.text;
      context.beginPath();
      context.moveTo(0, Math.round(top) + 0.5);
      context.lineTo(widthPx, Math.round(top) + 0.5);
      context.stroke();
    }
    const y = Math.max(top, AXIS_PX);
    if (y >= freeY && y + BAND_PX <= Math.min(bottom, heightPx)) {
      const namePx = Math.min(context.measureText(name).width, (widthPx - NAMES_PX) / 2);
      context.fillStyle = colors.ground;
      context.fillRect(NAMES_PX, y + 1, namePx + 10, BAND_PX);
      context.fillStyle = colors.text;
      context.fillText(name, NAMES_PX + 5, y + 1 + BAND_PX / 2, namePx);
      freeY = y + BAND_PX;
    }
  });
}

function paintAxis(
  context: CanvasRenderingContext2D,
  view: View,
  time: TimeBase,
  format: TimeFormat,
  colors: PlotColors,
): void {
  const axis = timeAxis(view, time, format);
  context.font = `11px ${colors.font}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.fillStyle = colors.text;
  context.strokeStyle = colors.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const { xPx, label } of axis.marks) {
    const halfPx = context.measureText(label).width / 2;
    context.fillText(label, NAMES_PX + Math.min(Math.max(xPx, halfPx), view.widthPx - halfPx), AXIS_PX / 2 - 1);
    context.moveTo(NAMES_PX + Math.round(xPx) + 0.5, AXIS_PX - 5);
    context.lineTo(NAMES_PX + Math.round(xPx) + 0.5, AXIS_PX);
  }
  if (axis.anchor !== "") {
    context.textAlign = "right";
    context.fillText(axis.anchor, NAMES_PX - 8, AXIS_PX / 2 - 1, NAMES_PX - 12);
  }
  context.stroke();
}
