/** Draws marks in their lane below the time axis and through the tracks. */

import { type View, xOfTick } from "@tilescope/client";
import { theme as themeName } from "../state/settings";
import type { CanvasTheme } from "../timeline/canvas-theme";
import type { Picture } from "../timeline/picture";
import { colourOf } from "./colours";
import { firstLine, labelOf, rangeOf } from "./mark";
import type { ShownMark } from "./mark-collection";

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
  readonly tickPs: number;
  readonly theme: CanvasTheme;
}

export function paintLane(context: CanvasRenderingContext2D, input: LaneInput): void {
  const { flags, current, view, topPx, heightPx, tickPs, theme } = input;
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
    const insidePx = Math.max(0, left) + LABEL_GAP_PX;
    const besidePx = (isBand ? right : left + FLAG_PX) + LABEL_GAP_PX;
    const label = labelOf(mark, tickPs);
    const isInside = isBand && (mark.name !== "" || hasRoom(context, label, Math.min(right, endPx) - insidePx));
    const textPx = isInside ? insidePx : besidePx;
    const roomPx = (isInside ? Math.min(right, endPx) : endPx) - textPx - LABEL_GAP_PX;
    context.fillStyle = isInside && !isMoment ? colour.text : theme.text;
    context.fillText(labelIn(context, label, mark, roomPx), textPx, y + height / 2 + 0.5);
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

/** The label where it has room, else the beginning of the name: digits of a length are never cut. */
function labelIn(context: CanvasRenderingContext2D, label: string, { name }: ShownMark, roomPx: number): string {
  return hasRoom(context, label, roomPx) ? label : name === "" ? "" : clipped(context, firstLine(name), roomPx);
}

function hasRoom(context: CanvasRenderingContext2D, text: string, roomPx: number): boolean {
  // Where many marks lie close together, most have no room: nothing is measured for them.
  return roomPx >= LEAST_PX && context.measureText(text).width <= roomPx;
}

/** The beginning of a text that has room; nothing where that is no word. */
function clipped(context: CanvasRenderingContext2D, text: string, roomPx: number): string {
  if (roomPx < LEAST_PX) {
    return "";
  }
  if (hasRoom(context, text, roomPx)) {
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
