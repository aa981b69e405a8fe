/** Arrow keys in the track tree, as the ARIA practices for trees have them. */

import type { Layout, LayoutItem } from "../state/layout";

export type TreeMove =
  | { readonly kind: "focus"; readonly item: LayoutItem }
  | { readonly kind: "toggle"; readonly key: string };

/** Effect of a key when `focused` has the focus; null where the key is none of the tree's. */
export function moveInTree(layout: Layout, focused: string | null, key: string): TreeMove | null {
  const { items } = layout;
  const index = Math.max(
    0,
    items.findIndex((item) => item.key === focused),
  );
  const item = items[index];
  if (item === undefined) {
    return null;
  }
  const focus = (target: LayoutItem | undefined): TreeMove | null =>
    target === undefined ? null : { kind: "focus", item: target };
  switch (key) {
    case "ArrowDown":
      return focus(items[Math.min(items.length - 1, index + 1)]);
    case "ArrowUp":
      return focus(items[Math.max(0, index - 1)]);
    case "Home":
      return focus(items[0]);
    case "End":
      return focus(items[items.length - 1]);
    case "ArrowRight":
      if (item.kind === "group") {
        return item.isOpen ? focus(items[index + 1]) : { kind: "toggle", key: item.key };
      }
      return focus(item);
    case "ArrowLeft":
      if (item.kind === "group" && item.isOpen) {
        return { kind: "toggle", key: item.key };
      }
      return focus(items[item.parentIndex] ?? item);
    case "Enter":
    case " ":
      return item.kind === "group" ? { kind: "toggle", key: item.key } : null;
    default:
      return null;
  }
}
