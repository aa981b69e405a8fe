/**
 * Sums up what covers each pixel of the raster, and turns the sums into bars.
 *
 * A slice of a pixel and more fills its lane from top to bottom; its edges are as opaque as they are covered. Whatever is
 * shorter, and bins, make a bar from the lane's bottom in full colour: as high as the pixel is busy, and never lower than
 * one row, or a few where it stands alone. Colours of what shares a pixel mix by area.
 */

/** A slice or instant that is drawn as itself touches the pixel. */
export const INDIVIDUAL = 1;
/** A bin touches the pixel. */
export const AGGREGATE = 2;
/** Something has its most important pixel here, which must be visible. */
const PRESENT = 4;
/** Something that makes a bar touches the pixel. */
const BAR = 8;

/** Slices of fewer pixels of their own have no line between them and the one before: it would take too much of them. */
const DIVIDED_PX = 8;
/** The same where both have one colour: nothing else tells them apart. */
const ALIKE_DIVIDED_PX = 3;

/** With one row to a lane a bar has no height: opacity takes its place, from this one on. */
export const MIN_OPACITY = 0.4;

/** Weight of slices without area: they still give the pixel its colour, unless something else does. */
const MIN_WEIGHT = 1 / 4096;

/** From here on a bar is as high as its lane: sums of floats are a little less than they should be. */
const FULL = 0.995;

/** A bar that stands alone in an idle stretch is at least so many rows high. */
const LONELY_ROWS = 3;

const OPAQUE = 0xff000000;

/** Packed colours: by id, of all other ids, and of the line between neighbours of one colour. */
export interface RasterColors {
  readonly table: Uint32Array;
  readonly neutral: number;
  readonly divider: number;
}

/** Rows of each lane in the image. Lanes that need no heights have one row only. */
export interface LaneRows {
  readonly top: Int32Array;
  readonly count: Uint8Array;
}

export class Accumulator {
  readonly widthPx: number;
  readonly lanes: number;
  readonly rowsPerLane: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  readonly flags: Uint8Array;
  readonly cover: Float32Array;
  readonly rows: LaneRows;
  readonly #packed: Uint32Array;
  /** Red, green, blue and weight of each pixel, side by side: one cache line per touched pixel. */
  readonly #sums: Float32Array;
  /** The colour where a slice covers all of the pixel, or 0. */
  readonly #solid: Uint32Array;
  /** The part that is covered by edges of slices. */
  readonly #edges: Float32Array;
  /** The lane that is being turned into pixels: colour and height of the bar, and what is above it. */
  readonly #bar: Uint32Array;
  readonly #height: Uint8Array;
  readonly #above: Uint32Array;
  #colors = new Uint32Array(0);
  #neutral = 0;
  #divider = 0;

  constructor(widthPx: number, lanes: number, rowsPerLane: number) {
    const size = widthPx * lanes;
    this.widthPx = widthPx;
    this.lanes = lanes;
    this.rowsPerLane = rowsPerLane;
    this.pixels = new Uint8ClampedArray(4 * size * rowsPerLane);
    this.flags = new Uint8Array(size);
    this.cover = new Float32Array(size);
    this.rows = { top: new Int32Array(lanes), count: new Uint8Array(lanes) };
    this.#packed = new Uint32Array(this.pixels.buffer);
    this.#sums = new Float32Array(4 * size);
    this.#solid = new Uint32Array(size);
    this.#edges = new Float32Array(size);
    this.#bar = new Uint32Array(widthPx);
    this.#height = new Uint8Array(widthPx);
    this.#above = new Uint32Array(widthPx);
  }

  /** Empties the image. `table` has packed colours by id; ids beyond them are `neutral`. */
  begin({ table, neutral, divider }: RasterColors): void {
    this.#colors = table as Uint32Array<ArrayBuffer>;
    this.#neutral = neutral;
    this.#divider = OPAQUE | divider;
    this.flags.fill(0);
    this.cover.fill(0);
    this.#sums.fill(0);
    this.#solid.fill(0);
    this.#edges.fill(0);
  }

  /**
   * A slice of a pixel and more on `[x0, x1)` of a lane. Requires 0 <= x0 < x1 <= width. `begins`: it is no part of one that
   * began earlier.
   */
  addSolid(lane: number, x0: number, x1: number, name: number, begins: boolean): void {
    const color = this.#colorOf(name);
    const base = lane * this.widthPx;
    // Pixels are small whole numbers: `| 0` rounds them down, at half the price of Math.floor.
    const first = x0 | 0;
    const last = Math.ceil(x1) - 1;
    let from = x0 > first ? first + 1 : first;
    let to = x1 <= last + FULL ? last : last + 1;
    if (from >= to) {
      // No pixel is its own from edge to edge: the one that it covers most stands for it.
      from = last > first && x1 - last > first + 1 - x0 ? last : first;
      to = from + 1;
    }
    const isDivided =
      begins &&
      first > 0 &&
      to - from >= ALIKE_DIVIDED_PX &&
      this.#isDivided(base + first, color, to - from, first < from);
    this.#solid.fill(OPAQUE | color, base + from, base + to);
    const { flags, cover } = this;
    for (let pixel = base + from; pixel < base + to; pixel++) {
      flags[pixel]! |= INDIVIDUAL;
      cover[pixel]! += 1;
    }
    if (first < from) {
      this.#addEdge(base + first, Math.min(x1, first + 1) - x0, color);
    } else if (x0 > first) {
      cover[base + first]! -= x0 - first;
    }
    if (last >= to) {
      this.#addEdge(base + last, x1 - Math.max(x0, last), color);
    } else if (x1 < last + 1) {
      cover[base + last]! -= last + 1 - x1;
    }
    if (isDivided) {
      this.#solid[base + first] = this.#divider;
    }
  }

  /** Makes `[x0, x1)` of a lane busy for the part `density` (0 to 1). Requires 0 <= x0 <= x1 <= width, x0 < width. */
  addBar(lane: number, x0: number, x1: number, density: number, name: number, flag: number): void {
    const color = this.#colorOf(name);
    const base = lane * this.widthPx;
    const first = x0 | 0;
    const part = flag | BAR;
    const mark = part | PRESENT;
    if (x1 <= first + 1) {
      this.#add(base + first, (x1 - x0) * density, color, mark);
      return;
    }
    const last = Math.ceil(x1) - 1;
    const left = first + 1 - x0;
    const right = x1 - last;
    const solid = last - first > 1;
    // Of what fills no pixel, the one that it covers most is the one that must be seen. Bins stand in rows: each pixel
    // is mostly covered by one of them, and marking all of those avoids stripes.
    const half = flag === AGGREGATE ? 0.5 : 2;
    this.#add(base + first, left * density, color, left >= half || (!solid && left >= right) ? mark : part);
    for (let x = first + 1; x < last; x++) {
      this.#add(base + x, density, color, mark);
    }
    this.#add(base + last, right * density, color, right >= half || (!solid && right > left) ? mark : part);
  }

  /** A mark of one whole pixel at `x`. */
  addTick(lane: number, x: number, name: number): void {
    const pixel = lane * this.widthPx + Math.floor(x);
    this.#solid[pixel] = OPAQUE | this.#colorOf(name);
    this.cover[pixel]! += 1;
    this.flags[pixel]! |= INDIVIDUAL;
  }

  /** Turns the sums into pixels; returns how many rows the image has. */
  finish(): number {
    const { lanes, widthPx, rows, rowsPerLane } = this;
    let top = 0;
    for (let lane = 0; lane < lanes; lane++) {
      const isFlat = rowsPerLane === 1 ? this.#shadeLane(lane) : this.#measureLane(lane);
      const count = isFlat ? 1 : rowsPerLane;
      rows.top[lane] = top;
      rows.count[lane] = count;
      for (let row = 0; row < count; row++) {
        this.#writeRow((top + row) * widthPx, count === 1 ? 1 : rowsPerLane - row);
      }
      top += count;
    }
    return top;
  }

  /** True if a line is due where a slice begins, as another ends there. `isShared`: in the pixel itself. */
  #isDivided(pixel: number, color: number, ownPx: number, isShared: boolean): boolean {
    const before = this.#solid[pixel - 1]!;
    const isAlike = before === (OPAQUE | color) >>> 0;
    return before !== 0 && (isAlike || ownPx >= DIVIDED_PX) && (!isShared || this.#edges[pixel]! > 0);
  }

  #colorOf(name: number): number {
    return name < this.#colors.length ? this.#colors[name]! : this.#neutral;
  }

  /** Colours and heights of a lane; whether no bar of it is lower than the lane. */
  #measureLane(lane: number): boolean {
    const height = this.#height;
    const bar = this.#bar;
    const above = this.#above;
    const solid = this.#solid;
    const full = this.rowsPerLane;
    let isFlat = true;
    for (let x = 0, pixel = lane * this.widthPx; x < this.widthPx; x++, pixel++) {
      const mark = this.flags[pixel]!;
      if (mark === 0) {
        height[x] = 0;
        above[x] = 0;
        continue;
      }
      if (solid[pixel] !== 0) {
        bar[x] = solid[pixel]!;
        height[x] = full;
      } else {
        const color = this.#mixed(pixel);
        const edge = Math.min(this.#edges[pixel]!, 1);
        const isPresent = (mark & PRESENT) !== 0;
        const least = isPresent ? (this.#isLonely(x, pixel) ? Math.min(LONELY_ROWS, full) : 1) : 0;
        const rows = (mark & BAR) === 0 ? 0 : barRows(this.cover[pixel]!, full, least);
        bar[x] = OPAQUE | color;
        height[x] = edge >= FULL ? full : rows;
        above[x] = edge === 0 ? 0 : ((255 * edge + 0.5) << 24) | color;
        isFlat &&= rows === 0 || height[x] === full;
      }
      this.flags[pixel] = mark & (INDIVIDUAL | AGGREGATE);
    }
    return isFlat;
  }

  /** The same where a lane has but one row: its opacity says how busy it is. Always flat. */
  #shadeLane(lane: number): boolean {
    for (let x = 0, pixel = lane * this.widthPx; x < this.widthPx; x++, pixel++) {
      const mark = this.flags[pixel]!;
      this.#height[x] = 0;
      this.#above[x] = 0;
      if (mark === 0) {
        continue;
      }
      const isSolid = this.#solid[pixel] !== 0;
      const busy = Math.min(this.cover[pixel]!, 1);
      const opacity = isSolid ? 1 : (mark & PRESENT) === 0 ? busy : MIN_OPACITY + (1 - MIN_OPACITY) * busy;
      const color = isSolid ? this.#solid[pixel]! & ~OPAQUE : this.#mixed(pixel);
      this.#above[x] = ((255 * opacity + 0.5) << 24) | color;
      this.flags[pixel] = mark & (INDIVIDUAL | AGGREGATE);
    }
    return true;
  }

  /** True if there is nothing beside a pixel, so that it is easily overlooked. */
  #isLonely(x: number, pixel: number): boolean {
    return (x === 0 || this.flags[pixel - 1] === 0) && (x === this.widthPx - 1 || this.flags[pixel + 1] === 0);
  }

  #writeRow(offset: number, level: number): void {
    const packed = this.#packed;
    const height = this.#height;
    const bar = this.#bar;
    const above = this.#above;
    for (let x = 0; x < this.widthPx; x++) {
      packed[offset + x] = height[x]! >= level ? bar[x]! : above[x]!;
    }
  }

  #mixed(pixel: number): number {
    const sums = this.#sums;
    const scale = 1 / sums[4 * pixel + 3]!;
    const blue = (sums[4 * pixel + 2]! * scale + 0.5) << 16;
    const green = (sums[4 * pixel + 1]! * scale + 0.5) << 8;
    return blue | (green & 0xff00) | (sums[4 * pixel]! * scale + 0.5);
  }

  #addEdge(pixel: number, area: number, color: number): void {
    this.#edges[pixel]! += area;
    this.#add(pixel, area, color, INDIVIDUAL);
  }

  #add(pixel: number, covered: number, color: number, flag: number): void {
    const sums = this.#sums;
    const weight = covered > MIN_WEIGHT ? covered : MIN_WEIGHT;
    sums[4 * pixel]! += weight * (color & 0xff);
    sums[4 * pixel + 1]! += weight * ((color >> 8) & 0xff);
    sums[4 * pixel + 2]! += weight * ((color >> 16) & 0xff);
    sums[4 * pixel + 3]! += weight;
    this.cover[pixel]! += covered;
    this.flags[pixel]! |= flag;
  }
}

/** The height of a bar in rows: only what is busy throughout is as high as the lane. */
function barRows(busy: number, full: number, least: number): number {
  if (busy >= FULL) {
    return full;
  }
  return Math.max(least, Math.min(full - 1, (busy * full + 0.5) | 0));
}
