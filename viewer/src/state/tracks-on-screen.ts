/** The tracks that are on the screen now; a closed group stands for its tracks, an open one for none. */

import { itemsBetween, type LayoutItem, pinnedBetween } from "./layout";
import type { Pane } from "./pane";

export function tracksOf(item: LayoutItem): readonly number[] {
  if (item.kind === "track") {
    return [item.node.track.id];
  }
  return item.isOpen ? [] : (item.node.rollup?.children ?? []);
}

/** From top to bottom, pinned ones first, each once. */
export function tracksOnScreen(pane: Pane): readonly number[] {
  const shown = pane.layout.value;
  const { topPx, pinnedTopPx } = pane.scrolled.value;
  const items = [
    ...pinnedBetween(shown, pinnedTopPx),
    ...itemsBetween(shown, topPx + shown.pinnedPx, topPx + pane.scroll.value.heightPx),
  ];
  return [...new Set(items.flatMap(tracksOf))];
}
