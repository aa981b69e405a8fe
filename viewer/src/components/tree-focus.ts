/** Items of the track tree that have the focus, are pointed at, are dragged, or have their menu open. */

import { computed, signal } from "@preact/signals";
import { itemsBetween, type LayoutItem, layoutItem } from "../state/layout";
import type { Pane } from "../state/pane";
import { rootOf } from "../state/pane-root";
import { perPane } from "../state/per-pane";
import { elementsPointedAt } from "../timeline/pointer-place";

export const treeFocus = perPane(({ layout, scroll, scrolled }) => {
  /** The tree item that had the focus last, or that one has gone to since; null: none yet. */
  const focusedKey = signal<string | null>(null);
  /** The tree item that the tab key reaches: that of `focusedKey` where one sees it, else the first on the screen. */
  const tabStop = computed(() => {
    const item = focusedKey.value === null ? null : layoutItem(layout.value, focusedKey.value);
    const { pinnedPx, items } = layout.value;
    const topPx = scrolled.value.topPx;
    const bottomPx = topPx + scroll.value.heightPx;
    const isSeen = item !== null && (item.isPinned || (item.topPx + item.heightPx > topPx && item.topPx < bottomPx));
    return (isSeen ? item : (itemsBetween(layout.value, topPx + pinnedPx, bottomPx)[0] ?? items[0]))?.key;
  });
  /** The tree item whose buttons are shown: the one that the pointer was last seen over. */
  const hoveredKey = signal<string | null>(null);
  /** Item whose menu is open, and the menu's place in the window. */
  const openTrackMenu = signal<{ readonly key: string; readonly xPx: number; readonly yPx: number } | null>(null);
  /** The dragged item, and the place to which it would go. */
  const drop = signal<{
    readonly key: string;
    readonly isPinned: boolean;
    readonly before: string | null;
    /** Null where it would stay in its place. */
    readonly lineYPx: number | null;
  } | null>(null);
  return { focusedKey, tabStop, hoveredKey, openTrackMenu, drop };
});

/** The tree item under the pointer now; its buttons lie over it, and do not hide it. */
export function keyPointedAt(): string | null {
  const uppermost = elementsPointedAt().find((element) => element.closest(".tree-actions") === null);
  return uppermost?.closest<HTMLElement>(".tree [data-key]")?.dataset.key ?? null;
}

/** True while one walks through the tree by keys: then keys are for the focused item, else for the one that is pointed at. */
let isWalking = false;

/** True if the last focus was in the tree. */
let wasTreeFocused = false;

/** Follows what is used last, keys or pointer, for as long as the page is open. In a dialog one walks through its list, not the tree. */
export function followWalking(): void {
  const walks = ({ key, target }: KeyboardEvent) => {
    const isInDialog = target instanceof Element && target.closest("dialog") !== null;
    isWalking ||= !isInDialog && /^(Tab|Arrow|Home|End|Page|Enter)/.test(key);
  };
  const points = () => {
    isWalking = false;
  };
  addEventListener("focusin", ({ target }) => {
    wasTreeFocused = target instanceof Element && target.closest("[role=tree]") !== null;
  });
  addEventListener("keydown", walks, true);
  addEventListener("pointermove", points, true);
  addEventListener("pointerdown", points, true);
}

/** True if keys were used last to get about, not the pointer. */
export function isLedByKeys(): boolean {
  return isWalking;
}

/** The tree item that has the focus; null where one points instead. */
export function walkedKey(): string | null {
  const focused = isWalking ? document.activeElement?.closest<HTMLElement>("[role=treeitem]") : null;
  return focused?.dataset.key ?? null;
}

/** The item that gets the focus again when the tree is back after another page: where one walked, and has focused nothing since. */
export function itemToReturnTo(pane: Pane): LayoutItem | null {
  const hasFocus = document.activeElement !== null && document.activeElement !== document.body;
  const key = isWalking && wasTreeFocused && !hasFocus ? treeFocus(pane).focusedKey.peek() : null;
  return key === null ? null : layoutItem(pane.layout.peek(), key);
}

/** At the pointer, or below what has the focus when a key has opened it. */
export function openMenuAt(pane: Pane, key: string, event: MouseEvent): void {
  const target = event.target as Element;
  const box = target.getBoundingClientRect();
  const isByKey = event.clientX === 0 && event.clientY === 0;
  treeFocus(pane).openTrackMenu.value = isByKey
    ? { key, xPx: box.left + 24, yPx: Math.min(box.bottom, box.top + 24) }
    : { key, xPx: event.clientX, yPx: event.clientY };
}

/** After a change of the layout: the focus stays in the tree if it was there, on an item that may have moved. */
export function refocus(pane: Pane, key: string): void {
  const hadFocus = document.activeElement?.closest("[role=tree], .tree-actions, .track-menu") != null;
  treeFocus(pane).focusedKey.value = key;
  if (hadFocus) {
    focusItem(pane, key);
  }
}

/** An item that is scrolled to is in the page some frames later. */
const FOCUS_FRAMES = 30;

/** Puts the focus on an item as soon as it is in the page, and nothing is open over it. */
export function focusItem(pane: Pane, key: string): void {
  focusSoon(pane, `[role=treeitem][data-key="${key}"]`);
}

export function focusSoon(pane: Pane, selector: string, frames: number = FOCUS_FRAMES): void {
  requestAnimationFrame(() => {
    const item = rootOf(pane).querySelector<HTMLElement>(selector);
    item?.focus({ preventScroll: true });
    if ((item === null || document.activeElement !== item) && frames > 0) {
      focusSoon(pane, selector, frames - 1);
    }
  });
}
