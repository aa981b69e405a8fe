/** Hosts, groups and tracks of the opened trace that are shown, and the layout that follows from it. */

import { computed, signal } from "@preact/signals";
import { type Arrangement, arrange } from "./arrangement";
import { heightsOf, type LaneState, lanesByTrack } from "./lanes";
import { type FoldedRows, type Layout, layOut, NOTHING_FOLDED, PINNED_EDGE_PX, type ScrollPlace } from "./layout";
import type { RunState } from "./run";
import type { SelectionState } from "./selection";
import { AS_RECORDED, type TrackChoice } from "./track-choice";
import { TrackOrder } from "./track-order";
import { allGroups, filterHost, groupsOfHosts, type TreeNode } from "./tree";
import type { ViewState } from "./view";

const NO_TRACKS: ReadonlySet<number> = new Set();

/** The part of the screen that pinned tracks get at most: the others have to be seen, too. */
const PINNED_PART = 0.5;

export function trackState({
  runView,
  laneList,
  selection,
  draftArea,
  scroll,
}: RunState & LaneState & SelectionState & ViewState) {
  /** Only this host is shown; null: all. */
  const chosenHost = signal<string | null>(null);
  /** Choices of a person in the track tree: hidden, pinned, moved, filtered. */
  const trackChoice = signal<TrackChoice>(AS_RECORDED);
  /** Derived lanes that are drawn, by id of the track that they are drawn with. */
  const drawnLanes = computed(() => lanesByTrack(laneList.value, trackChoice.value.lanes));
  const laneHeights = computed(() => heightsOf(drawnLanes.value));
  const isFiltered = computed(() => trackChoice.value.filter.trim() !== "");
  /** Keys of the groups that are open, but for a filter. */
  const openGroups = signal<ReadonlySet<string>>(new Set());
  /** Under a filter all groups are open, so that one sees what was found, except for these. */
  const closedInFilter = signal<ReadonlySet<string>>(new Set());
  const roots = computed<readonly TreeNode[]>(() => {
    const view = runView.value;
    return view.kind === "open" ? filterHost(view.trace.roots, chosenHost.value) : [];
  });
  const arrangement = computed<Arrangement>(() => arrange(roots.value, trackChoice.value));
  /** Keys of the groups that are open on the screen. */
  const shownOpen = computed<ReadonlySet<string>>(() => {
    if (!isFiltered.value) {
      return openGroups.value;
    }
    const closed = closedInFilter.value;
    return new Set([...allGroups(roots.value)].filter((key) => !closed.has(key)));
  });
  /** The tracks of the screen from top to bottom, and by themselves the pinned ones. */
  const trackOrder = computed(() => new TrackOrder(arrangement.value.body));
  const pinnedOrder = computed(() => new TrackOrder(arrangement.value.pinned));
  /** The tracks of the area that is being dragged out, or else of the selected one; none while none is. */
  const areaTracks = computed<ReadonlySet<number>>(() => {
    const chosen = selection.value;
    const area = draftArea.value?.area ?? (chosen.kind === "area" ? chosen : null);
    return area?.tracks ?? NO_TRACKS;
  });
  const pinnedLimitPx = computed(() => Math.max(60, Math.floor(scroll.value.heightPx * PINNED_PART)));
  /** Tracks whose deeper rows have nothing in view, as far as this is seen. */
  const foldedRows = signal<FoldedRows>(NOTHING_FOLDED);
  const layout = computed<Layout>(() => {
    const { pinned, body } = arrangement.value;
    return layOut(body, shownOpen.value, pinned, pinnedLimitPx.value, laneHeights.value, foldedRows.value);
  });
  /** Scroll position of the tracks, never beyond their end: the browser follows a layout that has become shorter later. */
  const scrolled = computed<ScrollPlace>(() => {
    const { topPx, pinnedTopPx, heightPx } = scroll.value;
    const { heightPx: contentPx, pinnedContentPx, pinnedPx } = layout.value;
    return {
      topPx: Math.max(0, Math.min(topPx, contentPx - heightPx)),
      pinnedTopPx: Math.max(0, Math.min(pinnedTopPx, pinnedContentPx - pinnedPx + PINNED_EDGE_PX)),
    };
  });
  return {
    ...{ chosenHost, trackChoice, drawnLanes, isFiltered, openGroups, closedInFilter, roots, arrangement, shownOpen },
    ...{ trackOrder, pinnedOrder, areaTracks, laneHeights, foldedRows, layout, scrolled },
  };
}

export type TrackState = ReturnType<typeof trackState>;

/** Looks for other names. */
export function setFilter(pane: TrackState, filter: string): void {
  if (filter !== pane.trackChoice.peek().filter) {
    pane.closedInFilter.value = new Set();
    pane.trackChoice.value = { ...pane.trackChoice.peek(), filter };
  }
}

export function toggleGroup(pane: TrackState, key: string): void {
  const changed = pane.isFiltered.peek() ? pane.closedInFilter : pane.openGroups;
  const keys = new Set(changed.peek());
  if (!keys.delete(key)) {
    keys.add(key);
  }
  changed.value = keys;
}

export function openAll(pane: TrackState, keys: Iterable<string>): void {
  const opened = [...keys];
  pane.openGroups.value = new Set([...pane.openGroups.peek(), ...opened]);
  pane.closedInFilter.value = new Set([...pane.closedInFilter.peek()].filter((key) => !opened.includes(key)));
}

export function expandAll(pane: TrackState): void {
  pane.openGroups.value = allGroups(pane.roots.peek());
  pane.closedInFilter.value = new Set();
}

export function collapseAll(pane: TrackState): void {
  const isUnderFilter = pane.isFiltered.peek();
  // Hosts stay open: their devices and processes are left, each with its rollup.
  const hosts = groupsOfHosts(pane.roots.peek());
  const closed = [...allGroups(pane.roots.peek())].filter((key) => !hosts.has(key));
  pane.closedInFilter.value = new Set(isUnderFilter ? closed : []);
  pane.openGroups.value = isUnderFilter ? pane.openGroups.peek() : hosts;
}
