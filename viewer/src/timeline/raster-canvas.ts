/** A raster image on a canvas of its own, from which its lanes are drawn stretched. */

import type { RasterImage } from "../raster/raster";

export class RasterCanvas {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  #image: RasterImage | null = null;

  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d");
    if (context === null) {
      throw new Error("this browser draws no 2D canvas");
    }
    this.#canvas = canvas;
    this.#context = context;
  }

  put(image: RasterImage): void {
    const { widthPx, rows, pixels } = image;
    // How many rows there are changes with each frame: room that is left over costs less than another canvas.
    if (this.#canvas.width !== widthPx || this.#canvas.height < rows) {
      this.#canvas.width = widthPx;
      this.#canvas.height = rows;
    }
    if (rows > 0) {
      this.#context.putImageData(new ImageData(pixels, widthPx, rows), 0, 0);
    }
    this.#image = image;
  }

  /** Draws a lane between two heights, in device pixels, over the whole width. */
  drawLane(context: CanvasRenderingContext2D, lane: number, y0: number, y1: number): void {
    if (this.#image === null) {
      return;
    }
    const { widthPx, laneRows } = this.#image;
    context.imageSmoothingEnabled = false;
    const top = laneRows.top[lane]!;
    context.drawImage(this.#canvas, 0, top, widthPx, laneRows.count[lane]!, 0, y0, widthPx, y1 - y0);
  }
}
