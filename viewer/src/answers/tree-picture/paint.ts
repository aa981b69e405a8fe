/** Draws the boxes of a tree on a canvas: colours by name, labels where there is room, texture where several are one. */

import type { ShortForm } from "../../raster/short-name";
import { elideName, type GlyphWidths } from "../../raster/text";
import type { Boxes } from "./layout";
import { NO_NODE } from "./node-tree";

export const LEVEL_PX = 20;

/** Free pixels between levels and between boxes side by side, where these are wide enough for it. */
const GAP_PX = 1;
const LABEL_LEAST_PX = 34;
const LABEL_PADDING_PX = 4;
const HATCH_PX = 6;

export interface Paints {
  readonly ground: string;
  readonly panel: string;
  readonly line: string;
  readonly textDim: string;
  readonly accent: string;
  readonly font: string;
  /** Colours that the system forces upon pages; null: none. */
  readonly forced: { readonly ground: string; readonly text: string } | null;
}

export interface Drawing {
  readonly boxes: Boxes;
  readonly paints: Paints;
  readonly glyphs: GlyphWidths;
  /** The first pixel of the whole picture that is drawn, and how many are. */
  readonly topPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
  textOf(box: number): string;
  formOf(box: number): ShortForm;
  colorsOf(box: number): { readonly fill: string; readonly text: string };
  /** False for boxes that a search leaves dim. */
  isLit(box: number): boolean;
  /** The box that the keys or the pointer are at; -1: none. */
  readonly current: number;
}

/** Draws them; the context counts in pixels of the page. */
export function paint(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const { boxes, paints, topPx, widthPx, heightPx } = drawing;
  context.clearRect(0, 0, widthPx, heightPx);
  context.font = `12px ${paints.font}`;
  context.textBaseline = "middle";
  const hatch = hatchOf(context, paints);
  const { length } = boxes.node;
  for (let box = 0; box < length; box++) {
    const y = boxes.level[box]! * LEVEL_PX - topPx;
    if (y + LEVEL_PX > 0 && y < heightPx) {
      paintBox(context, drawing, box, y, hatch);
    }
  }
  if (drawing.current >= 0 && drawing.current < length) {
    outline(context, drawing, drawing.current);
  }
}

function paintBox(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  box: number,
  y: number,
  hatch: CanvasPattern | null,
): void {
  const { boxes, paints } = drawing;
  const x = boxes.fromPx[box]!;
  const fullPx = boxes.toPx[box]! - x;
  const boxPx = fullPx > 3 ? fullPx - GAP_PX : Math.max(fullPx, LEAST_DRAWN_PX);
  const heightPx = LEVEL_PX - GAP_PX;
  if (boxes.node[box] === NO_NODE) {
    context.fillStyle = hatch ?? paints.textDim;
    context.fillRect(x, y, boxPx, heightPx);
    return;
  }
  const isLit = drawing.isLit(box);
  const colors = drawing.colorsOf(box);
  const { forced } = paints;
  context.fillStyle = forced !== null ? forced.ground : isLit ? colors.fill : paints.panel;
  context.fillRect(x, y, boxPx, heightPx);
  if (forced !== null || !isLit) {
    context.strokeStyle = forced !== null && isLit ? forced.text : paints.line;
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, Math.max(0, boxPx - 1), heightPx - 1);
  }
  if (boxPx < LABEL_LEAST_PX) {
    return;
  }
  const text = elideName(drawing.textOf(box), drawing.formOf(box), boxPx - 2 * LABEL_PADDING_PX, drawing.glyphs);
  if (text !== "") {
    context.fillStyle = forced !== null ? forced.text : isLit ? colors.text : paints.textDim;
    context.fillText(text, x + LABEL_PADDING_PX, y + heightPx / 2 + 0.5);
  }
}

/** A box of less than a pixel is seen all the same. */
const LEAST_DRAWN_PX = 0.75;

function outline(context: CanvasRenderingContext2D, { boxes, paints, topPx }: Drawing, box: number): void {
  const x = boxes.fromPx[box]!;
  const boxPx = Math.max(4, boxes.toPx[box]! - x - GAP_PX);
  const y = boxes.level[box]! * LEVEL_PX - topPx;
  context.lineWidth = 2;
  context.strokeStyle = paints.ground;
  context.strokeRect(x + 3, y + 3, Math.max(0, boxPx - 6), LEVEL_PX - GAP_PX - 6);
  context.strokeStyle = paints.accent;
  context.strokeRect(x + 1, y + 1, Math.max(0, boxPx - 2), LEVEL_PX - GAP_PX - 2);
}

/** The texture of boxes that stand for several nodes. */
function hatchOf(context: CanvasRenderingContext2D, paints: Paints): CanvasPattern | null {
  const tile = document.createElement("canvas");
  tile.width = tile.height = HATCH_PX;
  const pen = tile.getContext("2d");
  if (pen === null) {
    return null;
  }
  pen.fillStyle = paints.panel;
  pen.fillRect(0, 0, HATCH_PX, HATCH_PX);
  pen.strokeStyle = paints.textDim;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const shift of [-HATCH_PX, 0, HATCH_PX]) {
    pen.moveTo(shift - 1, HATCH_PX + 1);
    pen.lineTo(shift + HATCH_PX + 1, -1);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}
