/**
 * Sums up what covers each pixel of the raster, and turns the sums into colours.
 *
 * Per pixel: colour sums weighted by covered area, the covered area itself, and flags. Colours of what shares a pixel
 * mix by area.
 */

/** A slice or instant that is drawn as itself touches the pixel. */
export const INDIVIDUAL = 1;
/** A bin touches the pixel. */
export const AGGREGATE = 2;
/** Something has its most important pixel here, which must be visible. */
const PRESENT = 4;

/** Opacity of the most transparent visible pixel; legible on both themes' backgrounds. */
export const MIN_OPACITY = 0.3;

/** What covers no area at all still gives the pixel its colour, unless something else does. */
const MIN_WEIGHT = 1 / 4096;

export class Accumulator {
  readonly widthPx: number;
  readonly lanes: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  readonly flags: Uint8Array;
  readonly cover: Float32Array;
  readonly #packed: Uint32Array;
  /** Red, green, blue and weight of each pixel, side by side: one cache line per touched pixel. */
  readonly #sums: Float32Array;
  #colors = new Uint32Array(0);
  #neutral = 0;

  constructor(widthPx: number, lanes: number) {
    const size = widthPx * lanes;
    this.widthPx = widthPx;
    this.lanes = lanes;
    this.pixels = new Uint8ClampedArray(4 * size);
    this.#packed = new Uint32Array(this.pixels.buffer);
    this.flags = new Uint8Array(size);
    this.cover = new Float32Array(size);
    this.#sums = new Float32Array(4 * size);
  }

  /** Empties the image. `colors` are packed colours by name id; ids beyond them are `neutral`. */
  begin(colors: Uint32Array, neutral: number): void {
    this.#colors = colors as Uint32Array<ArrayBuffer>;
    this.#neutral = neutral;
    this.flags.fill(0);
    this.cover.fill(0);
    this.#sums.fill(0);
  }

  /** Covers `[x0, x1)` of a lane for the part `density` (0 to 1). Requires 0 <= x0 <= x1 <= width, x0 < width. */
  addSpan(lane: number, x0: number, x1: number, density: number, name: number, flag: number): void {
    const color = name < this.#colors.length ? this.#colors[name]! : this.#neutral;
    const base = lane * this.widthPx;
    // Pixels are small whole numbers: `| 0` rounds them down, at half the price of Math.floor.
    const first = x0 | 0;
    if (x1 <= first + 1) {
      this.#add(base + first, x1 - x0, density, color, flag | PRESENT);
      return;
    }
    const last = Math.ceil(x1) - 1;
    const left = first + 1 - x0;
    const right = x1 - last;
    const solid = last - first > 1;
    const mark = flag | PRESENT;
    // Of a span that fills no pixel, the one that it covers most is the one that must be seen. Bins stand in rows:
    // each pixel is mostly covered by one of them, and marking all of those avoids stripes.
    const half = flag === AGGREGATE ? 0.5 : 2;
    this.#add(base + first, left, density, color, left >= half || (!solid && left >= right) ? mark : flag);
    for (let x = first + 1; x < last; x++) {
      this.#add(base + x, 1, density, color, mark);
    }
    this.#add(base + last, right, density, color, right >= half || (!solid && right > left) ? mark : flag);
  }

  /** A mark of one whole pixel at `x`. */
  addTick(lane: number, x: number, name: number): void {
    const color = name < this.#colors.length ? this.#colors[name]! : this.#neutral;
    this.#add(lane * this.widthPx + Math.floor(x), 1, 1, color, INDIVIDUAL | PRESENT);
  }

  /** Turns the sums into pixels. */
  finish(): void {
    const { cover, flags } = this;
    const sums = this.#sums;
    const packed = this.#packed;
    for (let at = 0; at < packed.length; at++) {
      const mark = flags[at]!;
      if (mark === 0) {
        packed[at] = 0;
        continue;
      }
      const scale = 1 / sums[4 * at + 3]!;
      const area = Math.min(cover[at]!, 1);
      const opacity = (mark & PRESENT) === 0 ? area : MIN_OPACITY + (1 - MIN_OPACITY) * area;
      packed[at] =
        ((255 * opacity + 0.5) << 24) |
        ((sums[4 * at + 2]! * scale + 0.5) << 16) |
        ((sums[4 * at + 1]! * scale + 0.5) << 8) |
        (sums[4 * at]! * scale + 0.5);
      flags[at] = mark & (INDIVIDUAL | AGGREGATE);
    }
  }

  #add(at: number, area: number, density: number, color: number, flag: number): void {
    const sums = this.#sums;
    const covered = area * density;
    const weight = Math.max(covered, MIN_WEIGHT);
    sums[4 * at]! += weight * (color & 0xff);
    sums[4 * at + 1]! += weight * ((color >> 8) & 0xff);
    sums[4 * at + 2]! += weight * ((color >> 16) & 0xff);
    sums[4 * at + 3]! += weight;
    this.cover[at]! += covered;
    this.flags[at]! |= flag;
  }
}
