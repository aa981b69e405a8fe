/** Content that a page lays over a chart: lines across it at values of x, and the span of a thing that is pointed at. */

import type { ReadonlySignal } from "@preact/signals";

/** Line from top to bottom, with its name. */
export interface ChartRule {
  readonly x: number;
  readonly title: string;
}

/** Bar along x that stands on the axis, as high as `size` in the first measure. */
export interface ChartSpan {
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly fill: string;
  readonly line: string;
}

export interface ChartOverlay {
  readonly rules: readonly ChartRule[];
  /** Null: nothing is pointed at. */
  readonly span: ReadonlySignal<ChartSpan | null>;
}

/** Place and thickness of a span in the pixels of a canvas whose lower border is at `bottom`. */
export function spanBox(
  { from, to }: ChartSpan,
  thickness: number,
  bounds: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number },
  toPixels: (x: number) => number,
  thinnest: number,
): { readonly left: number; readonly top: number; readonly width: number; readonly height: number } {
  const inside = (pixels: number) => Math.max(bounds.left, Math.min(bounds.right, pixels));
  // A point is as wide as the way to its neighbours.
  const left = inside(toPixels(from - 0.5));
  const right = inside(toPixels(to + 0.5));
  const height = Math.min(bounds.bottom - bounds.top, Math.max(thinnest, thickness));
  return { left, top: bounds.bottom - height, width: Math.max(thinnest, right - left), height };
}
