/**
 * Draws tracks that are not built yet from the overview: one band per track, lighter than what is exact and covered with
 * a net, so that nobody takes it for more than it is.
 */

import { type DrawTile, type View, xOfTick } from "@tilescope/client";
import { drawsOf } from "./picture";
import type { RasterCanvas } from "./raster-canvas";
import type { SceneTrack } from "./scene";
import type { TracksInput } from "./tracks-input";

const OPACITY = 0.6;
const INSET_PX = 1;

/** From the first bin to the last, in pixels. */
function drawnSpan(draws: readonly DrawTile[], view: View): readonly [number, number] {
  let from = view.widthPx;
  let to = 0;
  for (const { tile } of draws) {
    const { bin, length } = tile.bins;
    if (length === 0) {
      continue;
    }
    const widthPx = tile.binTicks / view.ticksPerPx;
    const originPx = xOfTick(view, tile.originTicks);
    from = Math.min(from, originPx + bin[0]! * widthPx);
    to = Math.max(to, originPx + (bin[length - 1]! + 1) * widthPx);
  }
  return [Math.max(0, from), Math.max(0, Math.min(view.widthPx, to))];
}

export class ProvisionalPainter {
  #net: { readonly ratio: number; readonly color: string; readonly pattern: CanvasPattern } | null = null;

  /** The track's one lane of the raster, over all of its rows. */
  paintBand(
    context: CanvasRenderingContext2D,
    image: RasterCanvas,
    { track, firstLane, topPx, rowPx, rows }: SceneTrack,
    { picture, theme }: TracksInput,
  ): void {
    const { ratio, deviceView } = picture;
    const y0 = Math.round((topPx + INSET_PX) * ratio);
    const y1 = Math.round((topPx + rows * rowPx - INSET_PX) * ratio);
    context.globalAlpha = OPACITY;
    image.drawLane(context, firstLane, y0, y1);
    context.globalAlpha = 1;
    this.#paintNet(context, ratio, theme.ground, drawnSpan(drawsOf(picture, track.id), deviceView), [y0, y1]);
  }

  /** A bar per bin: how high the counter gets in it. */
  paintCounter(context: CanvasRenderingContext2D, entry: SceneTrack, { picture, theme }: TracksInput): void {
    const { ratio, deviceView } = picture;
    const bottomPx = Math.round((entry.topPx + entry.rowPx - INSET_PX) * ratio);
    const heightPx = (entry.rowPx - 2 * INSET_PX) * ratio;
    context.fillStyle = theme.textDim;
    context.globalAlpha = OPACITY / 2;
    for (const { tile } of drawsOf(picture, entry.track.id)) {
      const widthPx = tile.binTicks / deviceView.ticksPerPx;
      const originPx = xOfTick(deviceView, tile.originTicks);
      for (let k = 0; k < tile.bins.length; k++) {
        const high = (tile.bins.busy[k]! / tile.binTicks) * heightPx;
        context.fillRect(originPx + tile.bins.bin[k]! * widthPx, bottomPx - high, Math.max(1, widthPx), high);
      }
    }
    context.globalAlpha = 1;
    const span = drawnSpan(drawsOf(picture, entry.track.id), deviceView);
    this.#paintNet(context, ratio, theme.ground, span, [bottomPx - heightPx, bottomPx]);
  }

  #paintNet(
    context: CanvasRenderingContext2D,
    ratio: number,
    color: string,
    [x0, x1]: readonly [number, number],
    [y0, y1]: readonly [number, number],
  ): void {
    context.fillStyle = this.#pattern(context, ratio, color);
    context.fillRect(x0, y0, x1 - x0, y1 - y0);
  }

  #pattern(context: CanvasRenderingContext2D, ratio: number, color: string): CanvasPattern | string {
    if (this.#net?.ratio === ratio && this.#net.color === color) {
      return this.#net.pattern;
    }
    const size = Math.max(4, Math.round(6 * ratio));
    const tile = document.createElement("canvas");
    tile.width = size;
    tile.height = size;
    const pen = tile.getContext("2d");
    if (pen === null) {
      return "transparent";
    }
    pen.strokeStyle = color;
    pen.globalAlpha = 0.7;
    pen.lineWidth = Math.max(1, ratio);
    pen.beginPath();
    pen.moveTo(0, size / 2);
    pen.lineTo(size / 2, 0);
    pen.lineTo(size, size / 2);
    pen.lineTo(size / 2, size);
    pen.closePath();
    pen.stroke();
    const pattern = context.createPattern(tile, "repeat");
    if (pattern === null) {
      return "transparent";
    }
    this.#net = { ratio, color, pattern };
    return pattern;
  }
}
