/**
 * Draws what has not been loaded: broad grey stripes over the whole height of a track, with a word where there is room, so
 * that nobody takes it for idle time. No event is grey and striped, and nothing that is idle has a texture.
 */

import { xOfTick } from "@tilescope/client";
import { ROW_PX } from "../state/layout";
import type { CanvasTheme } from "./canvas-theme";
import type { Picture } from "./picture";
import type { SceneTrack } from "./scene";

const STRIPE_PX = 9;
const WORD = "loading";
const WORD_PX = 11;
/** A word needs so much room beside it. */
const WORD_ROOM_PX = 120;

export class MissingPainter {
  readonly #patterns = new Map<string, CanvasPattern>();

  paint(context: CanvasRenderingContext2D, entry: SceneTrack, picture: Picture, theme: CanvasTheme): void {
    const missing = picture.coverages.get(entry.track.id)?.missing ?? [];
    if (missing.length === 0) {
      return;
    }
    const { ratio, deviceView } = picture;
    const y0 = Math.round(entry.topPx * ratio);
    const y1 = Math.round((entry.topPx + entry.rows * entry.rowPx - 1) * ratio);
    const pattern = this.#pattern(context, ratio, theme);
    for (const { startTicks, endTicks } of missing) {
      const x0 = Math.max(0, Math.floor(xOfTick(deviceView, startTicks)));
      const x1 = Math.min(deviceView.widthPx, Math.ceil(xOfTick(deviceView, endTicks)));
      if (x0 >= x1) {
        continue;
      }
      context.fillStyle = pattern;
      context.fillRect(x0, y0, x1 - x0, y1 - y0);
      if (entry.place === "track" && x1 - x0 >= WORD_ROOM_PX * ratio) {
        this.#write(context, x0, y0 + (Math.min(entry.rowPx, ROW_PX) * ratio) / 2, ratio, theme);
      }
    }
  }

  #write(context: CanvasRenderingContext2D, leftPx: number, middlePx: number, ratio: number, theme: CanvasTheme): void {
    context.font = `${WORD_PX * ratio}px ${theme.font}`;
    context.textBaseline = "middle";
    const widthPx = context.measureText(WORD).width;
    context.fillStyle = theme.ground;
    context.fillRect(leftPx + 6 * ratio, middlePx - 7 * ratio, widthPx + 8 * ratio, 14 * ratio);
    context.fillStyle = theme.textDim;
    context.fillText(WORD, leftPx + 10 * ratio, middlePx);
  }

  #pattern(context: CanvasRenderingContext2D, ratio: number, theme: CanvasTheme): CanvasPattern | string {
    const key = `${theme.line} ${theme.panel} ${ratio}`;
    const cached = this.#patterns.get(key);
    if (cached !== undefined) {
      return cached;
    }
    const size = 2 * Math.round(STRIPE_PX * ratio);
    const tile = document.createElement("canvas");
    tile.width = size;
    tile.height = size;
    const pen = tile.getContext("2d");
    const pattern = pen === null ? null : context.createPattern(drawStripes(pen, size, theme), "repeat");
    if (pattern === null) {
      return theme.line;
    }
    this.#patterns.set(key, pattern);
    return pattern;
  }
}

/** Diagonals, half as wide as they are apart. */
function drawStripes(pen: CanvasRenderingContext2D, size: number, theme: CanvasTheme): HTMLCanvasElement {
  pen.fillStyle = theme.panel;
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = theme.line;
  for (const from of [-size, 0, size]) {
    pen.beginPath();
    pen.moveTo(from, size);
    pen.lineTo(from + size / 2, size);
    pen.lineTo(from + 1.5 * size, 0);
    pen.lineTo(from + size, 0);
    pen.fill();
  }
  return pen.canvas;
}
