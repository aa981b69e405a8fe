/** The tracks that are on the screen now; a closed group stands for its tracks, an open one for none. */

import { itemsBetween, type LayoutItem, pinnedBetween } from "./layout";
import { layout, scrolled } from "./tracks";
import { scroll } from "./view";

export function tracksOf(item: LayoutItem): readonly number[] {
  if (item.kind === "track") {
    return [item.node.track.id];
  }
  return item.isOpen ? [] : (item.node.rollup?.children ?? []);
}

/** From top to bottom, pinned ones first, each once. */
export function tracksOnScreen(): readonly number[] {
  const shown = layout.value;
  const { topPx, pinnedTopPx } = scrolled.value;
  const items = [
    ...pinnedBetween(shown, pinnedTopPx),
    ...itemsBetween(shown, topPx + shown.pinnedPx, topPx + scroll.value.heightPx),
  ];
  return [...new Set(items.flatMap(tracksOf))];
}
