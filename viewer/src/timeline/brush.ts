/** The window of the minimap: where it is, what of it one has got hold of, and where that takes the view. Pure. */

import {
  clamp,
  fit,
  plus,
  type TickRange,
  type Ticks,
  tickAtX,
  type View,
  visibleRange,
  xOfTick,
} from "@tilescope/client";
import { wholeView } from "../state/view";

/** The window is never thinner than a finger can see. */
const MIN_WINDOW_PX = 6;

/** Distance from an edge within which one takes hold of it. */
const EDGE_PX = 6;

/** A window that is thinner is moved by its inside, and its edges are taken hold of from outside. */
const ROOMY_PX = 24;

export interface BrushWindow {
  readonly fromPx: number;
  readonly toPx: number;
}

export type BrushPart = "start" | "inside" | "end" | "outside";

/** View of the minimap: the busy part of a run that is mostly empty, while the view lies in it, else all. */
export function minimapView(run: TickRange, busy: TickRange | null, shown: View): View {
  if (busy !== null) {
    const part = wholeView(busy, shown.widthPx);
    const room = visibleRange(part);
    const { startTicks, endTicks } = visibleRange(shown);
    if (startTicks >= room.startTicks && endTicks <= room.endTicks) {
      return part;
    }
  }
  return wholeView(run, shown.widthPx);
}

/** The window on the minimap that shows what the timeline shows. */
export function windowOf(minimap: View, shown: View): BrushWindow {
  const range = visibleRange(shown);
  const fromPx = Math.max(0, xOfTick(minimap, range.startTicks));
  const toPx = Math.min(minimap.widthPx, xOfTick(minimap, range.endTicks));
  const widthPx = Math.min(minimap.widthPx, Math.max(MIN_WINDOW_PX, toPx - fromPx));
  const leftPx = Math.max(0, Math.min(minimap.widthPx - widthPx, fromPx));
  return { fromPx: leftPx, toPx: leftPx + widthPx };
}

/** Part of the window at a place of the minimap. */
export function brushPartAt(window: BrushWindow, xPx: number): BrushPart {
  const inwardPx = window.toPx - window.fromPx >= ROOMY_PX ? EDGE_PX : 0;
  const isNear = (edgePx: number, sign: number): boolean => {
    const outwardPx = sign * (xPx - edgePx);
    return outwardPx >= -inwardPx && outwardPx <= EDGE_PX;
  };
  if (isNear(window.fromPx, -1) && (inwardPx > 0 || xPx < window.fromPx)) {
    return "start";
  }
  if (isNear(window.toPx, 1) && (inwardPx > 0 || xPx > window.toPx)) {
    return "end";
  }
  return xPx >= window.fromPx && xPx <= window.toPx ? "inside" : "outside";
}

/** The view whose dragged edge is at a place of the minimap, and whose other edge is at `fixedTicks`. */
export function edgeDragged(minimap: View, fixedTicks: Ticks, xPx: number, bounds: TickRange): View {
  const draggedTicks = tickAtX(minimap, xPx);
  const [startTicks, endTicks] =
    draggedTicks < fixedTicks ? [draggedTicks, fixedTicks] : [fixedTicks, plus(draggedTicks, 1n)];
  return clamp(fit({ startTicks, endTicks }, minimap.widthPx), bounds);
}
