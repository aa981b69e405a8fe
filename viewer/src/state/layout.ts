/**
 * Position of each group header and track, from the tree and its open groups. Pure; lengths are CSS pixels from the top of the (scrolled)
 * content, and of pinned items from the top of theirs, which stays where it is.
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
  readonly isPinned: boolean;
}

export interface GroupItem extends Placed {
  readonly kind: "group";
  readonly node: GroupNode;
  readonly isOpen: boolean;
}

export interface TrackItem extends Placed {
  readonly kind: "track";
  readonly node: TrackNode;
  /** The upper rows that are laid out: all, or as many as have something in view. */
  readonly rows: number;
  /** Height of these, the gap to what is below included. */
  readonly rowsPx: number;
}

export type LayoutItem = GroupItem | TrackItem;

export interface Layout {
  /** First the pinned ones. */
  readonly items: readonly LayoutItem[];
  readonly pinnedCount: number;
  /** The height of all that is pinned. */
  readonly pinnedContentPx: number;
  /** The upper part of the screen that pinned items have for themselves, its lower edge included. */
  readonly pinnedPx: number;
  /** Down to the end of the last item, the pinned part included. */
  readonly heightPx: number;
}

/** Scroll positions of the tracks, and of the pinned ones by themselves. */
export interface ScrollPlace {
  readonly topPx: number;
  readonly pinnedTopPx: number;
}

/** The line below what is pinned. */
export const PINNED_EDGE_PX = 4;

/** The height of so many rows of a track, the gap to the next one included. */
function rowsHeightPx(track: Track, rows: number): number {
  if (track.kind === "counter") {
    return COUNTER_PX + TRACK_GAP_PX;
  }
  if (track.kind === "instant") {
    return INSTANT_PX + TRACK_GAP_PX;
  }
  return rows * ROW_PX + TRACK_GAP_PX;
}

/** Height of what is drawn with tracks below their rows, by id of the track. */
export type LaneHeights = ReadonlyMap<number, number>;

const NO_LANES: LaneHeights = new Map();

/** Rows of tracks, by id, whose deeper rows have nothing in view. */
export type FoldedRows = ReadonlyMap<number, number>;

export const NOTHING_FOLDED: FoldedRows = new Map();

/** Pinned items have at most `pinnedLimitPx` of the screen, and are scrolled by themselves where they need more. */
export function layOut(
  roots: readonly TreeNode[],
  open: ReadonlySet<string>,
  pinned: readonly TreeNode[] = [],
  pinnedLimitPx: number = Number.POSITIVE_INFINITY,
  laneHeights: LaneHeights = NO_LANES,
  foldedRows: FoldedRows = NOTHING_FOLDED,
): Layout {
  const items: LayoutItem[] = [];
  let topPx = 0;
  let isPinned = true;
  const place = (node: TreeNode, parentIndex: number): void => {
    if (node.kind === "track") {
      const { track } = node;
      const rows = Math.max(1, Math.min(track.rows, foldedRows.get(track.id) ?? track.rows));
      const rowsPx = rowsHeightPx(track, rows);
      const heightPx = rowsPx + (laneHeights.get(track.id) ?? 0);
      items.push({ kind: "track", key: node.key, topPx, heightPx, parentIndex, isPinned, node, rows, rowsPx });
      topPx += heightPx;
      return;
    }
    const isOpen = open.has(node.key);
    const index = items.length;
    items.push({ kind: "group", key: node.key, topPx, heightPx: HEADER_PX, parentIndex, isPinned, node, isOpen });
    topPx += HEADER_PX;
    if (isOpen) {
      for (const child of node.children) {
        place(child, index);
      }
    }
  };
  for (const node of pinned) {
    place(node, -1);
  }
  const pinnedCount = items.length;
  const pinnedContentPx = topPx;
  const pinnedPx = pinnedCount === 0 ? 0 : Math.min(pinnedContentPx, pinnedLimitPx) + PINNED_EDGE_PX;
  isPinned = false;
  topPx = pinnedPx;
  for (const root of roots) {
    place(root, -1);
  }
  return { items, pinnedCount, pinnedContentPx, pinnedPx, heightPx: topPx };
}

/** Top of an item on the screen, also of one that is scrolled out of it. */
export function screenTopPx({ isPinned, topPx }: LayoutItem, scroll: ScrollPlace): number {
  return topPx - (isPinned ? scroll.pinnedTopPx : scroll.topPx);
}

/** True if an item overlaps the part of the screen that is of its kind, be it by the gap below its rows. */
export function isOnScreen(layout: Layout, item: LayoutItem, scroll: ScrollPlace, heightPx: number): boolean {
  const topPx = screenTopPx(item, scroll);
  const [fromPx, toPx] = item.isPinned ? [0, layout.pinnedPx] : [layout.pinnedPx, heightPx];
  return topPx < toPx && topPx + item.heightPx > fromPx;
}

const places = new WeakMap<Layout, ReadonlyMap<string, LayoutItem>>();

/** The item of a key, or null where it is not laid out. */
export function layoutItem(layout: Layout, key: string): LayoutItem | null {
  const itemsByKey = places.get(layout) ?? new Map(layout.items.map((item) => [item.key, item]));
  places.set(layout, itemsByKey);
  return itemsByKey.get(key) ?? null;
}

/** Item at a height of the screen, or null; the header that stays at its top does not count. */
export function itemOnScreen(layout: Layout, scroll: ScrollPlace, yPx: number): LayoutItem | null {
  if (yPx >= layout.pinnedPx) {
    return layout.items[itemIndexAt(layout, yPx + scroll.topPx)] ?? null;
  }
  const atPx = yPx + scroll.pinnedTopPx;
  const pinned = pinnedBetween(layout, scroll.pinnedTopPx);
  return pinned.find(({ topPx, heightPx }) => topPx <= atPx && atPx < topPx + heightPx) ?? null;
}

/** Index of the item at a height, pinned ones left out; -1 above and below all of them. */
export function itemIndexAt(layout: Layout, yPx: number): number {
  if (yPx < layout.pinnedPx || yPx >= layout.heightPx) {
    return -1;
  }
  let low = layout.pinnedCount;
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

/** The items that overlap `[topPx, bottomPx)`, pinned ones left out. */
export function itemsBetween(layout: Layout, topPx: number, bottomPx: number): readonly LayoutItem[] {
  const { pinnedCount, pinnedPx, heightPx } = layout;
  if (layout.items.length === pinnedCount || bottomPx <= pinnedPx || topPx >= heightPx) {
    return [];
  }
  const first = itemIndexAt(layout, Math.max(pinnedPx, topPx));
  let end = first;
  while (end < layout.items.length && layout.items[end]!.topPx < bottomPx) {
    end++;
  }
  return layout.items.slice(first, end);
}

/** The pinned items that one sees of them. */
export function pinnedBetween(layout: Layout, pinnedTopPx: number): readonly LayoutItem[] {
  const endPx = pinnedTopPx + layout.pinnedPx - PINNED_EDGE_PX;
  const pinned = layout.items.slice(0, layout.pinnedCount);
  return pinned.filter(({ topPx, heightPx }) => topPx < endPx && topPx + heightPx > pinnedTopPx);
}

/** The header that stays at the top of the view, and how far the next header has pushed it up (0 or negative). */
export interface StickyHeader {
  readonly item: GroupItem;
  readonly offsetPx: number;
}

/**
 * The open group whose tracks are cut by the upper edge of the view, which is the lower one of what is pinned. Null where
 * its header is at its own place: a copy would cover the focus that is drawn there.
 */
export function stickyHeader(layout: Layout, scrollPx: number): StickyHeader | null {
  const edgePx = scrollPx + layout.pinnedPx;
  const index = itemIndexAt(layout, edgePx);
  if (index < 0) {
    return null;
  }
  const cut = layout.items[index]!;
  const headerIndex = cut.kind === "group" && cut.isOpen ? index : cut.parentIndex;
  const header = layout.items[headerIndex];
  if (header === undefined || header.kind !== "group" || header.topPx >= edgePx) {
    return null;
  }
  let next = headerIndex + 1;
  while (next < layout.items.length && layout.items[next]!.parentIndex >= headerIndex) {
    next++;
  }
  const endPx = layout.items[next]?.topPx ?? layout.heightPx;
  return { item: header, offsetPx: Math.min(0, endPx - edgePx - HEADER_PX) };
}
