/**
 * Where each group header and track lies, from the tree and what of it is open. Pure; lengths are CSS pixels from the
 * top of the (scrolled) content.
 */

import type { Track } from "@tilescope/client";
import type { GroupNode, TrackNode, TreeNode } from "./tree";

/** Height of one nesting row: fits 11 px text with a hairline between rows. */
export const ROW_PX = 18;
export const TRACK_GAP_PX = 4;
export const HEADER_PX = 26;
export const INSTANT_PX = 20;
export const COUNTER_PX = 42;

interface Placed {
  readonly key: string;
  readonly topPx: number;
  readonly heightPx: number;
  /** Index of the group header that this item is under, -1 at the top. */
  readonly parentIndex: number;
}

export interface GroupItem extends Placed {
  readonly kind: "group";
  readonly node: GroupNode;
  readonly isOpen: boolean;
}

export interface TrackItem extends Placed {
  readonly kind: "track";
  readonly node: TrackNode;
}

export type LayoutItem = GroupItem | TrackItem;

export interface Layout {
  readonly items: readonly LayoutItem[];
  readonly heightPx: number;
}

/** The height of a track, its gap to the next one included. */
export function trackHeightPx(track: Track): number {
  if (track.kind === "counter") {
    return COUNTER_PX + TRACK_GAP_PX;
  }
  if (track.kind === "instant") {
    return INSTANT_PX + TRACK_GAP_PX;
  }
  return Math.max(1, track.rows) * ROW_PX + TRACK_GAP_PX;
}

export function layOut(roots: readonly TreeNode[], open: ReadonlySet<string>): Layout {
  const items: LayoutItem[] = [];
  let topPx = 0;
  const place = (node: TreeNode, parentIndex: number): void => {
    if (node.kind === "track") {
      const heightPx = trackHeightPx(node.track);
      items.push({ kind: "track", key: node.key, topPx, heightPx, parentIndex, node });
      topPx += heightPx;
      return;
    }
    const isOpen = open.has(node.key);
    const index = items.length;
    items.push({ kind: "group", key: node.key, topPx, heightPx: HEADER_PX, parentIndex, node, isOpen });
    topPx += HEADER_PX;
    if (isOpen) {
      for (const child of node.children) {
        place(child, index);
      }
    }
  };
  for (const root of roots) {
    place(root, -1);
  }
  return { items, heightPx: topPx };
}

/** Index of the item at a height, or -1 above and below all of them. */
export function itemIndexAt(layout: Layout, yPx: number): number {
  if (yPx < 0 || yPx >= layout.heightPx) {
    return -1;
  }
  let low = 0;
  let high = layout.items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (layout.items[middle]!.topPx <= yPx) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/** The items that overlap `[topPx, bottomPx)`. */
export function itemsBetween(layout: Layout, topPx: number, bottomPx: number): readonly LayoutItem[] {
  if (layout.items.length === 0 || bottomPx <= 0 || topPx >= layout.heightPx) {
    return [];
  }
  const first = itemIndexAt(layout, Math.max(0, topPx));
  let end = first;
  while (end < layout.items.length && layout.items[end]!.topPx < bottomPx) {
    end++;
  }
  return layout.items.slice(first, end);
}

/** The header that stays at the top of the view, and how far the next header has pushed it up (0 or negative). */
export interface StickyHeader {
  readonly item: GroupItem;
  readonly offsetPx: number;
}

/** The open group whose tracks are cut by the upper edge of the view. */
export function stickyHeader(layout: Layout, scrollPx: number): StickyHeader | null {
  const index = itemIndexAt(layout, scrollPx);
  if (index < 0) {
    return null;
  }
  const cut = layout.items[index]!;
  const headerIndex = cut.kind === "group" && cut.isOpen ? index : cut.parentIndex;
  const header = layout.items[headerIndex];
  if (header === undefined || header.kind !== "group") {
    return null;
  }
  let next = headerIndex + 1;
  while (next < layout.items.length && layout.items[next]!.parentIndex >= headerIndex) {
    next++;
  }
  const endPx = layout.items[next]?.topPx ?? layout.heightPx;
  return { item: header, offsetPx: Math.min(0, endPx - scrollPx - HEADER_PX) };
}
