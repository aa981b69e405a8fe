/** Draws marks in their lane below the time axis and through the tracks, and what the timing tool measures. */

import { type TickRange, type View, xOfTick } from "@tilescope/client";
import { theme as themeName } from "../state/settings";
import type { CanvasTheme } from "../timeline/canvas-theme";
import type { Picture } from "../timeline/picture";
import { colourOf } from "./colours";
import { rangeOf, titleOf } from "./mark";
import type { ShownMark } from "./mark-collection";
import { type Measured, measureText } from "./timing";

/** A mark in the lane. */
export interface Flag {
  readonly mark: ShownMark;
  readonly fromPx: number;
  readonly toPx: number;
}

const POLE_PX = 2;
const FLAG_PX = 9;
const LABEL_GAP_PX = 5;
/** No word is narrower. */
const LEAST_PX = 18;

/** Positions of marks on the screen, in the order of their starts. */
export function flagsOf(marks: readonly ShownMark[], view: View): readonly Flag[] {
  return marks.flatMap((mark) => {
    const { startTicks, endTicks } = rangeOf(mark);
    const fromPx = xOfTick(view, startTicks);
    const toPx = xOfTick(view, endTicks);
    return toPx < -FLAG_PX || fromPx > view.widthPx ? [] : [{ mark, fromPx, toPx: Math.max(toPx, fromPx) }];
  });
}

/** The mark at a place in the lane, the one that is drawn last; a moment has a flag to the right of it. */
export function flagAt(flags: readonly Flag[], xPx: number): Flag | null {
  return flags.findLast(({ fromPx, toPx }) => xPx >= fromPx - 3 && xPx <= Math.max(toPx, fromPx + FLAG_PX) + 1) ?? null;
}

interface LaneInput {
  readonly flags: readonly Flag[];
  readonly current: string | null;
  readonly view: View;
  readonly topPx: number;
  readonly heightPx: number;
  readonly theme: CanvasTheme;
}

export function paintLane(context: CanvasRenderingContext2D, input: LaneInput): void {
  const { flags, current, view, topPx, heightPx, theme } = input;
  context.fillStyle = theme.panel;
  context.fillRect(0, topPx, view.widthPx, heightPx);
  context.fillStyle = theme.line;
  context.fillRect(0, topPx, view.widthPx, 1);
  context.font = `600 11px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const y = topPx + 3;
  const height = heightPx - 5;
  flags.forEach((flag, k) => {
    const { mark, fromPx, toPx } = flag;
    const colour = colourOf(themeName.peek(), mark.colour);
    const left = Math.max(-POLE_PX, Math.round(fromPx));
    const right = Math.min(view.widthPx + POLE_PX, Math.round(toPx));
    const isBand = right - left > FLAG_PX;
    const isMoment = mark.home === "moment";
    context.fillStyle = colour.fill;
    context.strokeStyle = colour.fill;
    if (isBand) {
      context.beginPath();
      context.roundRect(left, y, right - left, height, 3);
      context.globalAlpha = isMoment ? 0.18 : 1;
      context.fill();
      context.globalAlpha = 1;
      if (isMoment) {
        context.setLineDash([4, 3]);
        context.stroke();
        context.setLineDash([]);
      }
    } else {
      paintFlag(context, left, y, height, isMoment);
    }
    if (mark.id === current) {
      context.strokeStyle = theme.text;
      context.lineWidth = 2;
      context.beginPath();
      context.roundRect(left - 1, y - 1, (isBand ? right - left : FLAG_PX) + 2, height + 2, 4);
      context.stroke();
      context.lineWidth = 1;
    }
    const endPx = nextPx(flags, k, view.widthPx);
    const textPx = isBand ? Math.max(0, left) + LABEL_GAP_PX : left + FLAG_PX + LABEL_GAP_PX;
    const roomPx = (isBand ? Math.min(right, endPx) : endPx) - textPx - LABEL_GAP_PX;
    const text = mark.name === "" && !isBand ? "" : clipped(context, titleOf(mark), roomPx);
    context.fillStyle = isBand && !isMoment ? colour.text : theme.text;
    context.fillText(text, textPx, y + height / 2 + 0.5);
  });
}

/** End of the room for a flag's label: the next flag. */
function nextPx(flags: readonly Flag[], k: number, widthPx: number): number {
  const next = flags[k + 1];
  return next === undefined ? widthPx : Math.min(widthPx, Math.max(next.fromPx, 0));
}

function paintFlag(context: CanvasRenderingContext2D, x: number, y: number, height: number, isHollow: boolean): void {
  context.fillRect(x, y, POLE_PX, height + 2);
  context.beginPath();
  context.moveTo(x + POLE_PX, y);
  context.lineTo(x + FLAG_PX + POLE_PX, y + height * 0.3);
  context.lineTo(x + POLE_PX, y + height * 0.62);
  context.closePath();
  if (isHollow) {
    context.stroke();
  } else {
    context.fill();
  }
}

/** The beginning of a text that has room; nothing where that is no word. */
function clipped(context: CanvasRenderingContext2D, text: string, roomPx: number): string {
  // Where many marks lie close together, most have no room: nothing is measured for them.
  if (roomPx < LEAST_PX) {
    return "";
  }
  if (context.measureText(text).width <= roomPx) {
    return text;
  }
  const count = Math.floor((text.length * roomPx) / Math.max(1, context.measureText(text).width)) - 1;
  return count < 3 ? "" : `${text.slice(0, count)}…`;
}

/** Faint bands and lines through the tracks that a mark is about; its ends also through all others. */
export function paintThrough(
  context: CanvasRenderingContext2D,
  picture: Picture,
  flags: readonly Flag[],
  current: string | null,
): void {
  for (const { mark, fromPx, toPx } of flags) {
    const { fill } = colourOf(themeName.peek(), mark.colour);
    const isCurrent = mark.id === current;
    const left = Math.max(-POLE_PX, fromPx);
    const right = Math.min(picture.view.widthPx + POLE_PX, toPx);
    context.fillStyle = fill;
    context.strokeStyle = fill;
    if (right > left) {
      context.globalAlpha = isCurrent ? 0.16 : 0.08;
      for (const { topPx, heightPx } of bandsOf(picture, mark.tracks)) {
        context.fillRect(left, topPx, right - left, heightPx);
      }
    }
    context.globalAlpha = isCurrent ? 0.9 : 0.5;
    context.setLineDash(mark.home === "moment" ? [4, 3] : []);
    context.beginPath();
    for (const xPx of fromPx === toPx ? [fromPx] : [fromPx, toPx]) {
      const x = Math.round(xPx) + 0.5;
      if (x >= 0 && x <= picture.view.widthPx) {
        context.moveTo(x, 0);
        context.lineTo(x, picture.heightPx);
      }
    }
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
    if (mark.tracks.length > 0) {
      paintTrackEdges(context, picture, mark, left, right);
    }
  }
}

/** On tracks of its own a mark has a strong edge, so that one sees which they are. */
function paintTrackEdges(
  context: CanvasRenderingContext2D,
  picture: Picture,
  mark: ShownMark,
  left: number,
  right: number,
): void {
  for (const { topPx, heightPx } of bandsOf(picture, mark.tracks)) {
    context.fillRect(Math.round(left), topPx, POLE_PX, heightPx);
    if (right > left) {
      context.fillRect(Math.round(right) - 1, topPx, POLE_PX, heightPx);
    }
  }
}

interface Band {
  readonly topPx: number;
  readonly heightPx: number;
}

function bandsOf({ scene, heightPx }: Picture, tracks: readonly number[]): readonly Band[] {
  if (tracks.length === 0) {
    return [{ topPx: 0, heightPx }];
  }
  const wanted = new Set(tracks);
  return scene.tracks
    .filter(({ track, place }) => place !== "sticky" && wanted.has(track.id))
    .map(({ topPx, rows, rowPx, isPinned }) => {
      const top = isPinned ? topPx : Math.max(scene.pinnedPx, topPx);
      return { topPx: top, heightPx: topPx + rows * rowPx - top };
    })
    .filter((band) => band.heightPx > 0);
}

const TAG_PX = 20;
const ARROW_PX = 5;

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
  const text = measureText(range, tickPs);
  context.font = `600 12px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const widthPx = context.measureText(text).width + 16;
  const middlePx = (Math.max(0, left) + Math.min(view.widthPx, right)) / 2;
  // Beside the arrow where it is too short to carry the text.
  const besidePx = right + 8 + widthPx < view.widthPx ? right + 8 : left - 8 - widthPx;
  const leftPx = right - left > widthPx + 4 * ARROW_PX ? middlePx - widthPx / 2 : Math.max(2, besidePx);
  context.fillStyle = theme.accent;
  context.beginPath();
  context.roundRect(leftPx, y - TAG_PX / 2, widthPx, TAG_PX, 4);
  context.fill();
  context.fillStyle = theme.ground;
  context.fillText(text, leftPx + 8, y + 0.5);
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
