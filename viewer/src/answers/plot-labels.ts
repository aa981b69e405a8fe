/** Room for the names of points and limits: a name lies on no other name, on no point and on no line. Pure. */

export interface LabelBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Segment {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
}

/** Places beside a vertical line for a name of a size, from the lower end of the plot to the upper: at the right, then at the left. */
export function placesBeside(
  x: number,
  { width, height }: { readonly width: number; readonly height: number },
  plot: LabelBox,
  gap: number,
): readonly LabelBox[] {
  const count = Math.max(1, Math.floor((plot.bottom - plot.top - gap) / height));
  return Array.from({ length: count }, (_, k) => plot.bottom - gap - (k + 1) * height).flatMap((top) =>
    [x + gap, x - gap - width].map((left) => ({ left, top, right: left + width, bottom: top + height })),
  );
}

/** Length of the boxes that a slanted name is taken as. */
const PIECE_PX = 6;

/** Places that are taken within a plot. */
export class LabelRoom {
  readonly #plot: LabelBox;
  readonly #lines: readonly Segment[];
  readonly #taken: LabelBox[] = [];

  constructor(plot: LabelBox, lines: readonly Segment[]) {
    this.#plot = plot;
    this.#lines = lines;
  }

  take(boxes: readonly LabelBox[]): void {
    for (const box of boxes) {
      this.#taken.push(box);
    }
  }

  /** The first of some places that is free, all of its boxes being so; it is taken. Null: none is. */
  place<T>(candidates: readonly T[], boxesOf: (candidate: T) => readonly LabelBox[]): T | null {
    for (const candidate of candidates) {
      const boxes = boxesOf(candidate);
      if (boxes.every((box) => this.#isFree(box))) {
        this.take(boxes);
        return candidate;
      }
    }
    return null;
  }

  #isFree(box: LabelBox): boolean {
    const { left, top, right, bottom } = this.#plot;
    const isInside = box.left >= left && box.right <= right && box.top >= top && box.bottom <= bottom;
    return (
      isInside && !this.#taken.some((other) => overlaps(box, other)) && !this.#lines.some((line) => cuts(line, box))
    );
  }
}

export function overlaps(box: LabelBox, other: LabelBox): boolean {
  return box.right >= other.left && box.left <= other.right && box.bottom >= other.top && box.top <= other.bottom;
}

/** True if a part of a segment lies in a box (Liang and Barsky). */
export function cuts({ fromX, fromY, toX, toY }: Segment, box: LabelBox): boolean {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const sides = [
    [-dx, fromX - box.left],
    [dx, box.right - fromX],
    [-dy, fromY - box.top],
    [dy, box.bottom - fromY],
  ] as const;
  let [first, last] = [0, 1];
  for (const [towards, distance] of sides) {
    if (towards === 0) {
      if (distance < 0) {
        return false;
      }
    } else if (towards < 0) {
      first = Math.max(first, distance / towards);
    } else {
      last = Math.min(last, distance / towards);
    }
  }
  return first <= last;
}

/** Boxes that a text covers which runs from a place in a direction, its middle line there. */
export function slantedBoxes(x: number, y: number, angle: number, width: number, height: number): readonly LabelBox[] {
  const pieces = Math.max(1, Math.ceil(width / PIECE_PX));
  return Array.from({ length: pieces + 1 }, (_, k) => {
    const along = (k / pieces) * width;
    const [centreX, centreY] = [x + along * Math.cos(angle), y + along * Math.sin(angle)];
    const half = height / 2;
    return { left: centreX - 1, top: centreY - half, right: centreX + 1, bottom: centreY + half };
  });
}
