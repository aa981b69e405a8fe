/** Arrows within a derived lane: from the launch of each event behind it to the event's start; pure but for the drawing. */

import { type ToolAnswer, ticks, type View, xOfTick } from "@tilescope/client";
import { valuesOf } from "../state/answer-values";

/** Arrows drawn at a time: more would lie on each other. */
export const MOST_ARROWS = 8;

const HEAD_PX = 5;
const EDGE_PX = 5;

export interface LaneArrow {
  readonly fromPx: number;
  readonly toPx: number;
  readonly yPx: number;
}

/** The arrows of what `lane_events` answers, one below the other; none for an event whose launch is not known. */
export function laneArrows(answer: ToolAnswer, seen: View, heightPx: number): readonly LaneArrow[] {
  const starts = valuesOf(answer, "events", "start");
  const spans = valuesOf(answer, "events", "launched")
    .map((launched, row) => ({ launched, start: starts[row] }))
    .filter(({ launched, start }) => launched !== null && launched !== undefined && start !== undefined)
    .slice(0, MOST_ARROWS);
  const apart = (heightPx - 2 * EDGE_PX) / Math.max(1, spans.length - 1);
  return spans.map(({ launched, start }, k) => ({
    fromPx: xOfTick(seen, ticks(BigInt(String(launched)))),
    toPx: xOfTick(seen, ticks(BigInt(String(start)))),
    yPx: spans.length === 1 ? heightPx / 2 : EDGE_PX + k * apart,
  }));
}

export function paintArrows(
  canvas: HTMLCanvasElement,
  arrows: readonly LaneArrow[],
  widthPx: number,
  heightPx: number,
): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(widthPx * ratio);
  canvas.height = Math.round(heightPx * ratio);
  const context = canvas.getContext("2d");
  if (context === null) {
    return;
  }
  context.scale(ratio, ratio);
  context.strokeStyle = context.fillStyle = getComputedStyle(canvas).color;
  context.lineWidth = 1.5;
  for (const { fromPx, toPx, yPx } of arrows) {
    // Far ends are beyond what a canvas counts exactly.
    const [from, to] = [Math.max(fromPx, -HEAD_PX), Math.min(toPx, widthPx + HEAD_PX)];
    context.beginPath();
    context.arc(from, yPx, 2, 0, 2 * Math.PI);
    context.fill();
    context.beginPath();
    context.moveTo(from, yPx);
    context.lineTo(to, yPx);
    context.moveTo(to - HEAD_PX, yPx - HEAD_PX / 2);
    context.lineTo(to, yPx);
    context.lineTo(to - HEAD_PX, yPx + HEAD_PX / 2);
    context.stroke();
  }
}
