/** A ring as a file: its title and range above it, the list of its parts beside it; and its parts as text. */

import type { TimeBase } from "@tilescope/client";
import { elideName, measureGlyphs } from "../../raster/text";
import type { ShownColumn } from "../columns";
import { inTicks, inUnit, SHARE, tsvCell } from "../tsv";
import type { PartLabel } from "./ring-labels";
import { paintRing, type RingDrawing } from "./ring-paint";
import type { RingPart } from "./ring-parts";

const HEAD_PX = 32;
const MARGIN_PX = 12;
const LINE_PX = 20;
const LIST_PX = 360;
const SWATCH_PX = 10;
const FIGURES_PX = 140;

/** The picture, with the device's pixels. */
export function ringFile(drawing: RingDrawing, labels: readonly PartLabel[], title: string): HTMLCanvasElement {
  const ratio = devicePixelRatio;
  const { sizePx, paints, colors } = drawing;
  const ring = document.createElement("canvas");
  ring.width = ring.height = Math.round(sizePx * ratio);
  const pen = ring.getContext("2d")!;
  pen.scale(ratio, ratio);
  paintRing(pen, drawing);
  const picture = document.createElement("canvas");
  const heightPx = Math.max(sizePx, labels.length * LINE_PX);
  picture.width = Math.round((sizePx + LIST_PX + 3 * MARGIN_PX) * ratio);
  picture.height = Math.round((HEAD_PX + heightPx + MARGIN_PX) * ratio);
  const context = picture.getContext("2d")!;
  context.scale(ratio, ratio);
  context.fillStyle = paints.ground;
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(ring, MARGIN_PX, HEAD_PX, sizePx, sizePx);
  context.textBaseline = "middle";
  context.fillStyle = paints.textDim;
  context.font = `600 13px ${paints.font}`;
  context.fillText(title, MARGIN_PX, HEAD_PX / 2, sizePx + LIST_PX);
  context.font = `12px ${paints.font}`;
  const glyphs = measureGlyphs((text) => context.measureText(text).width);
  const left = sizePx + 2 * MARGIN_PX;
  labels.forEach(({ name, form, size, share }, k) => {
    const y = HEAD_PX + (k + 0.5) * LINE_PX;
    context.fillStyle = colors[k]!.fill;
    context.fillRect(left, y - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX);
    context.strokeStyle = paints.line;
    context.strokeRect(left + 0.5, y - SWATCH_PX / 2 + 0.5, SWATCH_PX - 1, SWATCH_PX - 1);
    context.fillStyle = paints.textDim;
    context.textAlign = "left";
    const shown = elideName(name, form, LIST_PX - FIGURES_PX - SWATCH_PX - 12, glyphs);
    context.fillText(shown, left + SWATCH_PX + 6, y);
    context.textAlign = "right";
    context.fillText([size, share].filter(Boolean).join(" · "), left + LIST_PX, y, FIGURES_PX);
  });
  return picture;
}

/** The parts with their sizes: those of rows exactly, as the table has them; in ticks and bytes for those who ask so. */
export function ringText(
  parts: readonly RingPart[],
  column: ShownColumn,
  labels: readonly PartLabel[],
  time: TimeBase,
  isRaw: boolean,
): string {
  const sizes = isRaw ? inTicks(column.column, time) : inUnit(column.column, column.scale);
  const lines = [["name", "rows", sizes.head, SHARE.head].join("\t")];
  parts.forEach((part, k) => {
    const size = part.row < 0 ? part.size : column.value(part.row);
    lines.push([tsvCell(labels[k]!.name), part.rows, sizes.cell(size), SHARE.cell(part.share)].join("\t"));
  });
  return `${lines.join("\n")}\n`;
}
