/** A picture of a tree as a file: its title and range above all of its levels; and its boxes as text. */

import type { ToolColumn } from "@tilescope/client";
import { scaleOf } from "../figures";
import { inTicks, inUnit, SHARE, tsvCell } from "../tsv";
import { NO_NODE } from "./node-tree";
import { type Drawing, LEVEL_PX, paint } from "./paint";
import { figureOf, type PictureModel } from "./picture-model";

const HEAD_PX = 32;
const MARGIN_PX = 12;
/** Higher canvases are refused by browsers. */
const MOST_PX = 16_000;

/** The picture, with the device's pixels where it is not too high for that. */
export function pictureFile(drawing: Omit<Drawing, "topPx" | "heightPx">, title: string): HTMLCanvasElement {
  const { widthPx, boxes, paints } = drawing;
  const heightPx = Math.min(boxes.levels * LEVEL_PX, MOST_PX - HEAD_PX - MARGIN_PX);
  // Coarser rather than cut off.
  const ratio = Math.min(devicePixelRatio, MOST_PX / (heightPx + HEAD_PX + MARGIN_PX));
  const inner = document.createElement("canvas");
  inner.width = Math.round(widthPx * ratio);
  inner.height = Math.round(heightPx * ratio);
  const pen = inner.getContext("2d")!;
  pen.scale(ratio, ratio);
  paint(pen, { ...drawing, topPx: 0, heightPx });
  const picture = document.createElement("canvas");
  picture.width = inner.width + Math.round(2 * MARGIN_PX * ratio);
  picture.height = inner.height + Math.round((HEAD_PX + MARGIN_PX) * ratio);
  const context = picture.getContext("2d")!;
  context.fillStyle = paints.ground;
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(inner, Math.round(MARGIN_PX * ratio), Math.round(HEAD_PX * ratio));
  context.scale(ratio, ratio);
  context.font = `600 13px ${paints.font}`;
  context.textBaseline = "middle";
  context.fillStyle = paints.textDim;
  context.fillText(title, MARGIN_PX, HEAD_PX / 2, widthPx);
  return picture;
}

/** The boxes that are drawn, level by level, with their sizes and what lies in no other box. */
export function pictureText(model: PictureModel, isRaw: boolean): string {
  const boxes = model.boxes.peek();
  const tree = model.tree.peek();
  const column: Pick<ToolColumn, "id" | "kind" | "unit"> =
    model.sizeColumns.find(({ id }) => id === model.sizeColumn.peek()) ?? ROWS;
  const order = model.order.peek();
  const scale = scaleOf(
    column,
    order.map((box) => model.sizeOf(box)),
    model.time,
  );
  const sizes = isRaw ? inTicks(column, model.time) : inUnit(column, scale);
  const lines = [["level", "name", sizes.head, SHARE.head, "inside"].join("\t")];
  for (const box of order) {
    const parent = boxes.parent[box]!;
    const { name } = model.figures(box);
    const size = model.sizeOf(box);
    const inside = parent === NO_NODE ? "" : model.names.text(tree.rowOf(parent));
    const share = tree.total > 0 ? size / tree.total : null;
    const cells = [tsvCell(name), sizes.cell(figureOf(column, size)), SHARE.cell(share), tsvCell(inside)];
    lines.push([boxes.level[box]!, ...cells].join("\t"));
  }
  return `${lines.join("\n")}\n`;
}

const ROWS = { id: "rows", kind: "count", unit: "" } as const;
