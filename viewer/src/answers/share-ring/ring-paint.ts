/** Draws a ring on a canvas: parts clockwise from the top, shares on those with room for them, the whole in its middle. */

import { percentDigits } from "../../components/percent";
import type { Paints } from "../tree-picture/paint";
import type { RingPart } from "./ring-parts";

/** Radius of the hole, as a part of the ring's. */
export const INNER_RADIUS = 0.54;

const GAP_PX = 1.5;
/** A share is written where its part is so wide in the middle of the ring. */
const LABEL_LEAST_PX = 44;
/** And where the ring is so wide: it is smaller in low windows. */
const LABEL_BAND_PX = 42;

export interface PartColors {
  readonly fill: string;
  readonly text: string;
}

export interface RingDrawing {
  readonly parts: readonly RingPart[];
  readonly colors: readonly PartColors[];
  readonly paints: Paints;
  readonly sizePx: number;
  /** The whole, and the name of the column, in the middle. */
  readonly middle: readonly [string, string];
  /** The part that keys or the pointer are at; -1: none. */
  readonly current: number;
}

/** Draws it; the context counts in pixels of the page. */
export function paintRing(context: CanvasRenderingContext2D, drawing: RingDrawing): void {
  const { parts, colors, paints, sizePx, middle, current } = drawing;
  const outer = sizePx / 2 - 3;
  const inner = outer * INNER_RADIUS;
  context.save();
  context.clearRect(0, 0, sizePx, sizePx);
  context.translate(sizePx / 2, sizePx / 2);
  context.textAlign = "center";
  context.textBaseline = "middle";
  parts.forEach((part, k) => {
    const { fill, text } = colors[k]!;
    context.fillStyle = fill;
    context.fill(sector(part, inner, outer));
    if (paints.forced !== null || part.kind !== "row") {
      // What is no row, and all parts in forced colours, is told by its border.
      context.strokeStyle = paints.forced?.text ?? paints.line;
      context.lineWidth = 1;
      context.stroke(sector(part, inner + 0.5, outer - 0.5));
    }
    const radius = (inner + outer) / 2;
    if (2 * Math.PI * part.share * radius >= LABEL_LEAST_PX && outer - inner >= LABEL_BAND_PX) {
      const turn = 2 * Math.PI * (part.from + part.share / 2);
      context.fillStyle = text;
      context.font = `12px ${paints.font}`;
      context.fillText(`${percentDigits(part.share, 1)} %`, radius * Math.sin(turn), -radius * Math.cos(turn));
    }
  });
  if (parts[current] !== undefined) {
    context.strokeStyle = paints.accent;
    context.lineWidth = 3;
    context.stroke(sector(parts[current], inner - 1, outer + 1));
  }
  context.fillStyle = paints.textDim;
  context.font = `600 15px ${paints.font}`;
  context.fillText(middle[0], 0, -8, 1.7 * inner);
  context.font = `12px ${paints.font}`;
  context.fillText(middle[1], 0, 12, 1.7 * inner);
  context.restore();
}

function sector({ from, share }: RingPart, inner: number, outer: number): Path2D {
  const path = new Path2D();
  const begin = 2 * Math.PI * from - Math.PI / 2;
  const end = begin + 2 * Math.PI * share;
  // Parts that touch would be one in colours that are alike.
  const gap = Math.min(GAP_PX / 2 / outer, (end - begin) / 4);
  const isWhole = share > 0.999999;
  path.arc(0, 0, outer, isWhole ? begin : begin + gap, isWhole ? end : end - gap);
  path.arc(0, 0, inner, isWhole ? end : end - gap, isWhole ? begin : begin + gap, true);
  path.closePath();
  return path;
}
