/** View that stays when the trace on the screen has grown: the same time, the same groups, the same tracks at the top. */

import { fit, type TickRange, ticks, type View, visibleRange } from "@tilescope/client";
import type { Layout } from "./layout";
import { itemIndexAt } from "./layout";
import type { Trace } from "./trace";

/** Ticks by which the same moment is later in `after`: the origin is the earliest event found so far. */
export function shiftTicks(before: Trace, after: Trace): bigint {
  const { originNs, tickPs } = before.manifest.time;
  return ((originNs - after.manifest.time.originNs) * 1000n) / BigInt(tickPs);
}

/** The view of the same time, or of the whole run where the whole run was shown. */
export function renewedView(view: View, before: Trace, after: Trace, paddingPx: number): View {
  const shown = visibleRange(view);
  const { startTicks, endTicks } = before.manifest.range;
  const isWhole = shown.startTicks <= startTicks && shown.endTicks >= endTicks;
  if (isWhole || before.manifest.time.tickPs !== after.manifest.time.tickPs) {
    return fit(after.manifest.range, view.widthPx, paddingPx);
  }
  return { ...view, startTicks: ticks(view.startTicks + shiftTicks(before, after)) };
}

export function shiftedRange({ startTicks, endTicks }: TickRange, shift: bigint): TickRange {
  return { startTicks: ticks(startTicks + shift), endTicks: ticks(endTicks + shift) };
}

/** The item at the top of the screen and how far it is scrolled out of it; found again by its name in the tree. */
export interface Anchor {
  readonly name: string;
  readonly offsetPx: number;
}

export function anchorAt(layout: Layout, scrollPx: number): Anchor | null {
  const edgePx = scrollPx + layout.pinnedPx;
  const item = layout.items[itemIndexAt(layout, edgePx)];
  return item === undefined ? null : { name: nameOf(layout, item), offsetPx: edgePx - item.topPx };
}

/** Scroll position that keeps the anchored item in place; null where it is gone. */
export function scrollTo(layout: Layout, anchor: Anchor): number | null {
  const item = layout.items.find((candidate) => !candidate.isPinned && nameOf(layout, candidate) === anchor.name);
  return item === undefined ? null : item.topPx - layout.pinnedPx + Math.min(anchor.offsetPx, item.heightPx);
}

function nameOf(layout: Layout, item: Layout["items"][number]): string {
  const own =
    item.kind === "group"
      ? `${item.node.group.name}\n${item.node.group.detail}`
      : `${item.node.track.kind}\n${item.node.track.name}\n${item.node.track.detail}`;
  const parent = layout.items[item.parentIndex];
  return parent === undefined ? own : `${nameOf(layout, parent)}\n\n${own}`;
}
