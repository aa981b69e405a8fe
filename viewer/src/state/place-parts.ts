/** The part of the track tree that is on the screen, as `place.ts` reads it. Loaded late. */

import { computed } from "@preact/signals";
import { itemIndexAt } from "./layout";
import type { Parts } from "./location";
import { perPane } from "./per-pane";
import { openAtFirst } from "./place";
import { formatKeys } from "./track-keys";

const byId = (a: string, b: string): number => Number(a.slice(1)) - Number(b.slice(1));

/** The parts of the address that say it; those that say nothing are left out. */
export const placeParts = perPane((pane) => {
  const { runView, selection, scroll, closedInFilter, isFiltered, layout, openGroups, scrolled } = pane;
  const folds = computed((): Parts => {
    const shown = runView.value;
    if (shown.kind !== "open") {
      return {};
    }
    const first = openAtFirst(shown.trace, selection.value);
    // Under a filter all groups are open, but for some.
    const [open, isClosed] = isFiltered.value
      ? [[], (key: string) => closedInFilter.value.has(key)]
      : [[...openGroups.value], (key: string) => !openGroups.value.has(key)];
    const closed = [...(isFiltered.value ? closedInFilter.value : first)].filter(isClosed);
    return {
      open: formatKeys(open.filter((key) => !first.has(key)).sort(byId)),
      closed: formatKeys(closed.sort(byId)),
    };
  });

  const top = computed((): string => {
    const { topPx } = scrolled.value;
    const { kind } = selection.value;
    const { items, pinnedPx, heightPx } = layout.value;
    const edgePx = topPx + pinnedPx;
    const item = items[itemIndexAt(layout.value, edgePx)];
    // What is selected would be scrolled to.
    const isPlain = topPx === 0 && !((kind === "event" || kind === "bin") && heightPx > scroll.value.heightPx);
    const offsetPx = item === undefined ? 0 : Math.round(edgePx - item.topPx);
    return item === undefined || isPlain ? "" : formatKeys([item.key]) + (offsetPx > 0 ? `:${offsetPx}` : "");
  });

  return computed(
    (): Parts =>
      Object.fromEntries(Object.entries({ top: top.value, ...folds.value }).filter(([, text]) => text !== "")),
  );
});
