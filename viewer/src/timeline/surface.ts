/** A canvas whose pixels are the screen's: sized by its element, scaled by the device pixel ratio. */

export class Surface {
  readonly context: CanvasRenderingContext2D;
  widthPx = 0;
  heightPx = 0;
  ratio = 1;
  readonly #canvas: HTMLCanvasElement;

  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d");
    if (context === null) {
      throw new Error("this browser draws no 2D canvas");
    }
    this.#canvas = canvas;
    this.context = context;
  }

  /** Sets the size in CSS pixels, and empties the canvas. Drawing is in device pixels from here on. */
  begin(widthPx: number, heightPx: number, ratio: number): CanvasRenderingContext2D {
    const width = Math.max(1, Math.round(widthPx * ratio));
    const height = Math.max(1, Math.round(heightPx * ratio));
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
    }
    this.widthPx = widthPx;
    this.heightPx = heightPx;
    this.ratio = ratio;
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, width, height);
    return this.context;
  }
}
