/** The time axis: marks with labels, what they count from, and the selection's place in time. */

import { type TickRange, type View, xOfTick } from "@tilescope/client";
import type { AxisMark, TimeAxis } from "../base/axis";
import type { Pane } from "../state/pane";
import type { CanvasTheme } from "./canvas-theme";
import type { TimelineExtension } from "./extension";
import type { Picture } from "./picture";
import type { Surface } from "./surface";

const TICK_PX = 6;

const LABEL_GAP_PX = 14;

export interface AxisInput {
  readonly axis: TimeAxis;
  readonly picture: Picture;
  readonly heightPx: number;
  readonly selected: TickRange | null;
  readonly theme: CanvasTheme;
  readonly extension: TimelineExtension | null;
}

export function paintAxis(pane: Pane, surface: Surface, input: AxisInput): void {
  const { axis, picture, heightPx, selected, theme, extension } = input;
  const { view, ratio } = picture;
  const context = surface.begin(view.widthPx, heightPx + pane.marksLanePx.peek(), ratio);
  context.scale(ratio, ratio);
  if (selected !== null) {
    paintSelected(context, view, heightPx, selected, theme);
  }
  context.font = `11px ${theme.font}`;
  context.textBaseline = "middle";
  const middlePx = heightPx / 2 - 1;

  // What labels count from goes before them: at the left edge, and where it changes.
  const taken: Span[] = [];
  const write = (text: string, leftPx: number): void => {
    const widthPx = context.measureText(text).width;
    const span = { fromPx: leftPx, toPx: leftPx + widthPx };
    if (leftPx + widthPx <= view.widthPx - 4 && taken.every((other) => isApart(span, other))) {
      context.fillText(text, leftPx, middlePx);
      taken.push(span);
    }
  };
  const writeMark = ({ label, xPx }: AxisMark): void =>
    write(label, Math.max(4, Math.round(xPx) + 0.5 - context.measureText(label).width / 2));
  context.fillStyle = theme.text;
  if (axis.anchor !== "") {
    write(axis.anchor, 6);
  }
  axis.marks.filter((mark) => mark.isAnchor).forEach(writeMark);
  context.fillStyle = theme.textDim;
  const stride = labelStride(axis, (text) => context.measureText(text).width);
  axis.marks.filter((mark) => !mark.isAnchor && (mark.timeTicks / axis.stepTicks) % stride === 0n).forEach(writeMark);
  context.strokeStyle = theme.lineStrong;
  context.beginPath();
  for (const mark of axis.marks) {
    const x = Math.round(mark.xPx) + 0.5;
    context.moveTo(x, heightPx - TICK_PX);
    context.lineTo(x, heightPx);
  }
  context.stroke();
  extension?.paintOnAxis(context, picture, theme);
}

interface Span {
  readonly fromPx: number;
  readonly toPx: number;
}

function isApart(a: Span, b: Span): boolean {
  return a.fromPx >= b.toPx + LABEL_GAP_PX || b.fromPx >= a.toPx + LABEL_GAP_PX;
}

/** Every so many marks have a label, so that labels do not touch; the same marks wherever one pans. */
function labelStride(axis: TimeAxis, widthOf: (text: string) => number): bigint {
  const [first, second] = axis.marks;
  if (first === undefined || second === undefined) {
    return 1n;
  }
  const widestPx = Math.max(0, ...axis.marks.filter((mark) => !mark.isAnchor).map((mark) => widthOf(mark.label)));
  return BigInt(Math.max(1, Math.ceil((widestPx + LABEL_GAP_PX) / (second.xPx - first.xPx))));
}

function paintSelected(
  context: CanvasRenderingContext2D,
  view: View,
  heightPx: number,
  range: TickRange,
  theme: CanvasTheme,
): void {
  const fromPx = Math.max(-4, xOfTick(view, range.startTicks));
  const toPx = Math.min(view.widthPx + 4, xOfTick(view, range.endTicks));
  if (toPx < 0 || fromPx > view.widthPx) {
    return;
  }
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.16;
  context.fillRect(fromPx, 0, Math.max(1, toPx - fromPx), heightPx);
  context.globalAlpha = 1;
  context.fillRect(fromPx, heightPx - 3, Math.max(2, toPx - fromPx), 3);
}
