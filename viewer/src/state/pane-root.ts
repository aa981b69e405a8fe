/** Element that a pane fills: its parts are looked for there, and not in the pane beside it. */

import type { Pane } from "./pane";

const elements = new WeakMap<Pane, Element>();

export function setRoot(pane: Pane, element: Element | null): void {
  if (element === null) {
    elements.delete(pane);
    return;
  }
  elements.set(pane, element);
}

/** The whole page where the pane has not been laid out yet. */
export function rootOf(pane: Pane): ParentNode {
  return elements.get(pane) ?? document;
}
