/** A canvas whose pixels are the screen's: sized by its element, scaled by the device pixel ratio. */

export class Surface {
  readonly context: CanvasRenderingContext2D;
  widthPx = 0;
  heightPx = 0;
  ratio = 1;
  readonly #canvas: HTMLCanvasElement;
  readonly #isOpaque: boolean;
  #isBlank = false;

  /** Whoever draws on an opaque one paints its ground: nothing has to be cleared, nor mixed with what is below it. */
  constructor(canvas: HTMLCanvasElement, isOpaque = false) {
    const context = canvas.getContext("2d", { alpha: !isOpaque });
    if (context === null) {
      throw new Error("this browser draws no 2D canvas");
    }
    this.#canvas = canvas;
    this.#isOpaque = isOpaque;
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
    if (!this.#isOpaque) {
      this.context.clearRect(0, 0, width, height);
    }
    this.#isBlank = false;
    return this.context;
  }

  /** The same where nothing is drawn. A canvas that is empty already stays untouched: the browser copies touched ones anew. */
  blank(widthPx: number, heightPx: number, ratio: number): void {
    if (!this.#isBlank || this.widthPx !== widthPx || this.heightPx !== heightPx || this.ratio !== ratio) {
      this.begin(widthPx, heightPx, ratio);
      this.#isBlank = true;
    }
  }
}
