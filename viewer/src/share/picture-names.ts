/** The names of groups and tracks, beside the timeline of a picture. */

import { HEADER_PX, itemsBetween, type LayoutItem, pinnedBetween, screenTopPx, stickyHeader } from "../state/layout";
import type { Pane } from "../state/pane";
import type { CanvasTheme } from "../timeline/canvas-theme";

const INDENT_PX = 12;
const INSET_PX = 10;

/** A text that fits: its beginning, and `…` where it is longer. */
export function fitting(context: CanvasRenderingContext2D, text: string, widthPx: number): string {
  if (context.measureText(text).width <= widthPx) {
    return text;
  }
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (context.measureText(`${text.slice(0, middle)}…`).width <= widthPx) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return `${text.slice(0, low).trimEnd()}…`;
}

function nameOf(item: LayoutItem): string {
  return item.kind === "group" ? item.node.group.name : item.node.track.name;
}

/** Paints them from the upper edge of the timeline on. */
export function paintNames(
  pane: Pane,
  context: CanvasRenderingContext2D,
  theme: CanvasTheme,
  widthPx: number,
  heightPx: number,
): void {
  const scroll = pane.scrolled.peek();
  const shown = pane.layout.peek();
  const { pinnedPx } = shown;
  const paint = (item: LayoutItem, topPx: number): void => {
    const isGroup = item.kind === "group";
    const height = isGroup ? HEADER_PX : item.heightPx;
    context.fillStyle = isGroup ? theme.panel : theme.ground;
    context.fillRect(0, topPx, widthPx, height);
    context.fillStyle = theme.line;
    context.fillRect(0, topPx + height - 1, widthPx, 1);
    const leftPx = INSET_PX + INDENT_PX * item.node.depth;
    context.font = `${isGroup ? "600 " : ""}12px ${theme.font}`;
    context.fillStyle = theme.text;
    // In the middle of a header, and at the upper row of a track.
    const middlePx = topPx + (isGroup ? HEADER_PX : Math.min(22, height)) / 2;
    context.fillText(fitting(context, nameOf(item), widthPx - leftPx - INSET_PX), leftPx, middlePx);
  };
  const clipped = (fromPx: number, toPx: number, work: () => void): void => {
    context.save();
    context.beginPath();
    context.rect(0, fromPx, widthPx, toPx - fromPx);
    context.clip();
    work();
    context.restore();
  };
  context.textBaseline = "middle";
  context.textAlign = "left";
  clipped(pinnedPx, heightPx, () => {
    for (const item of itemsBetween(shown, scroll.topPx + pinnedPx, scroll.topPx + heightPx)) {
      paint(item, screenTopPx(item, scroll));
    }
    const sticky = stickyHeader(shown, scroll.topPx);
    if (sticky !== null) {
      paint(sticky.item, pinnedPx + sticky.offsetPx);
    }
  });
  clipped(0, pinnedPx, () => {
    for (const item of pinnedBetween(shown, scroll.pinnedTopPx)) {
      paint(item, screenTopPx(item, scroll));
    }
  });
}
