/** Place to which a dragged item of the track tree would go: between two of its siblings. Pure. */

import type { Layout } from "../state/layout";

export interface DropPlace {
  /** The sibling that it would stand before; null: behind all of them. */
  readonly before: string | null;
  /** Height of the line between them, in the coordinates of the items. */
  readonly lineYPx: number;
}

/**
 * The gap between siblings that is nearest to a height, in the coordinates of their items; null where it is one beside
 * the item itself, so that nothing would change. `siblings` are keys from top to bottom.
 */
export function dropPlace(layout: Layout, siblings: readonly string[], key: string, yPx: number): DropPlace | null {
  const spans = spansOf(layout, siblings);
  const own = siblings.indexOf(key);
  let best: { readonly gap: number; readonly lineYPx: number } | null = null;
  for (let gap = 0; gap <= spans.length; gap++) {
    const lineYPx = spans[gap]?.topPx ?? spans[spans.length - 1]?.endPx;
    if (lineYPx !== undefined && (best === null || Math.abs(lineYPx - yPx) < Math.abs(best.lineYPx - yPx))) {
      best = { gap, lineYPx };
    }
  }
  if (best === null || best.gap === own || best.gap === own + 1) {
    return null;
  }
  return { before: siblings[best.gap] ?? null, lineYPx: best.lineYPx };
}

/** From the top of each sibling to the end of what is below it. */
function spansOf(layout: Layout, siblings: readonly string[]): readonly { topPx: number; endPx: number }[] {
  const wanted = new Set(siblings);
  const spans: { topPx: number; endPx: number }[] = [];
  let parentIndex = Number.NaN;
  for (const { key, topPx, heightPx, parentIndex: parent } of layout.items) {
    const last = spans[spans.length - 1];
    if (wanted.has(key)) {
      spans.push({ topPx, endPx: topPx + heightPx });
      parentIndex = parent;
    } else if (last !== undefined && parent > parentIndex && topPx === last.endPx) {
      last.endPx = topPx + heightPx;
    }
  }
  return spans;
}
