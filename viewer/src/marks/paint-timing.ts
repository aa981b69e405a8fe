/** Draws what the timing tool measures: over the tracks, and at the time axis. */

import { formatDuration, type TickRange, type View, xOfTick } from "@tilescope/client";
import type { CanvasTheme } from "../timeline/canvas-theme";
import type { Picture } from "../timeline/picture";
import { type Measured, measureText } from "./timing";

const TAG_PX = 20;
const ARROW_PX = 5;
/** At the axis, below its labels. */
const END_PX = 8;

/** Two lines, an arrow between them, and what lies between. */
export function paintMeasured(
  context: CanvasRenderingContext2D,
  picture: Picture,
  { range, yPx }: Measured,
  tickPs: number,
  theme: CanvasTheme,
): void {
  const { view, heightPx } = picture;
  const [left, right] = edgesPx(view, range);
  if (isAway(view, left, right)) {
    return;
  }
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.1;
  context.fillRect(Math.max(0, left), 0, Math.min(view.widthPx, right) - Math.max(0, left), heightPx);
  context.globalAlpha = 1;
  for (const x of [left, right]) {
    context.fillRect(Math.round(x), 0, 1, heightPx);
  }
  const y = Math.round(Math.min(heightPx - TAG_PX, Math.max(TAG_PX, yPx))) + 0.5;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(Math.max(0, left), y);
  context.lineTo(Math.min(view.widthPx, right), y);
  if (right - left > 3 * ARROW_PX) {
    for (const [x, direction] of [
      [left, 1],
      [right, -1],
    ] as const) {
      context.moveTo(x + direction * ARROW_PX, y - ARROW_PX);
      context.lineTo(x, y);
      context.lineTo(x + direction * ARROW_PX, y + ARROW_PX);
    }
  }
  context.stroke();
  context.lineWidth = 1;
  paintTag(context, measureText(range, tickPs), [left, right], y, view.widthPx, theme);
}

/** The interval on the axis of a height, and its length in the middle of it, or beside it where it is short. */
export function paintMeasuredOnAxis(
  context: CanvasRenderingContext2D,
  view: View,
  range: TickRange,
  heightPx: number,
  tickPs: number,
  theme: CanvasTheme,
): void {
  const [left, right] = edgesPx(view, range);
  if (isAway(view, left, right)) {
    return;
  }
  context.fillStyle = theme.accent;
  context.fillRect(left, heightPx - 3, Math.max(2, right - left), 3);
  for (const x of [left, right]) {
    context.fillRect(Math.round(x), heightPx - END_PX, 1, END_PX);
  }
  paintTag(
    context,
    formatDuration(range.endTicks - range.startTicks, tickPs),
    [left, right],
    heightPx / 2,
    view.widthPx,
    theme,
  );
}

function paintTag(
  context: CanvasRenderingContext2D,
  text: string,
  [left, right]: readonly [number, number],
  y: number,
  screenPx: number,
  theme: CanvasTheme,
): void {
  context.font = `600 12px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const widthPx = context.measureText(text).width + 16;
  const middlePx = (Math.max(0, left) + Math.min(screenPx, right)) / 2;
  // Beside the arrow where it is too short to carry the text.
  const besidePx = right + 8 + widthPx < screenPx ? right + 8 : left - 8 - widthPx;
  const leftPx = right - left > widthPx + 4 * ARROW_PX ? middlePx - widthPx / 2 : Math.max(2, besidePx);
  context.fillStyle = theme.accent;
  context.beginPath();
  context.roundRect(leftPx, y - TAG_PX / 2, widthPx, TAG_PX, 4);
  context.fill();
  context.fillStyle = theme.ground;
  context.fillText(text, leftPx + 8, y + 0.5);
}

/** True where nothing of the interval is on the screen. */
function isAway(view: View, left: number, right: number): boolean {
  return right < 0 || left > view.widthPx;
}

function edgesPx(view: View, { startTicks, endTicks }: TickRange): readonly [number, number] {
  return [Math.max(-8, xOfTick(view, startTicks)), Math.min(view.widthPx + 8, xOfTick(view, endTicks))];
}

/** Paints the line at which the timing tool would begin to measure. */
export function paintReady(
  context: CanvasRenderingContext2D,
  picture: Picture,
  time: bigint,
  theme: CanvasTheme,
): void {
  const x = Math.round(xOfTick(picture.view, time));
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.8;
  context.fillRect(x, 0, 1, picture.heightPx);
  context.globalAlpha = 1;
}
