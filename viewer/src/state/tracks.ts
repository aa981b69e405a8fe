/** Hosts, groups and tracks of the opened trace that are shown, and the layout that follows from it. */

import { computed, signal } from "@preact/signals";
import { type Arrangement, arrange } from "./arrangement";
import { heightsOf, laneList, lanesByTrack } from "./lanes";
import { type Layout, layOut, PINNED_EDGE_PX, type ScrollPlace } from "./layout";
import { runView } from "./run";
import { draftArea, selection } from "./selection";
import { AS_RECORDED, type TrackChoice } from "./track-choice";
import { TrackOrder } from "./track-order";
import { allGroups, filterHost, groupsOfHosts, type TreeNode } from "./tree";
import { scroll } from "./view";

/** Only this host is shown; null: all. */
export const chosenHost = signal<string | null>(null);

/** Choices of a person in the track tree: hidden, pinned, moved, filtered. */
export const trackChoice = signal<TrackChoice>(AS_RECORDED);

/** Derived lanes that are drawn, by id of the track that they are drawn with. */
export const drawnLanes = computed(() => lanesByTrack(laneList.value, trackChoice.value.lanes));

const laneHeights = computed(() => heightsOf(drawnLanes.value));

export const isFiltered = computed(() => trackChoice.value.filter.trim() !== "");

/** Keys of the groups that are open, but for a filter. */
export const openGroups = signal<ReadonlySet<string>>(new Set());

/** Under a filter all groups are open, so that one sees what was found, except for these. */
export const closedInFilter = signal<ReadonlySet<string>>(new Set());

export const roots = computed<readonly TreeNode[]>(() => {
  const view = runView.value;
  return view.kind === "open" ? filterHost(view.trace.roots, chosenHost.value) : [];
});

export const arrangement = computed<Arrangement>(() => arrange(roots.value, trackChoice.value));

/** Keys of the groups that are open on the screen. */
export const shownOpen = computed<ReadonlySet<string>>(() => {
  if (!isFiltered.value) {
    return openGroups.value;
  }
  const closed = closedInFilter.value;
  return new Set([...allGroups(roots.value)].filter((key) => !closed.has(key)));
});

/** Looks for other names. */
export function setFilter(filter: string): void {
  if (filter !== trackChoice.peek().filter) {
    closedInFilter.value = new Set();
    trackChoice.value = { ...trackChoice.peek(), filter };
  }
}

export function toggleGroup(key: string): void {
  const changed = isFiltered.peek() ? closedInFilter : openGroups;
  const keys = new Set(changed.peek());
  if (!keys.delete(key)) {
    keys.add(key);
  }
  changed.value = keys;
}

export function openAll(keys: Iterable<string>): void {
  const opened = [...keys];
  openGroups.value = new Set([...openGroups.peek(), ...opened]);
  closedInFilter.value = new Set([...closedInFilter.peek()].filter((key) => !opened.includes(key)));
}

export function expandAll(): void {
  openGroups.value = allGroups(roots.peek());
  closedInFilter.value = new Set();
}

export function collapseAll(): void {
  const isUnderFilter = isFiltered.peek();
  // Hosts stay open: their devices and processes are left, each with its rollup.
  const hosts = groupsOfHosts(roots.peek());
  const closed = [...allGroups(roots.peek())].filter((key) => !hosts.has(key));
  closedInFilter.value = new Set(isUnderFilter ? closed : []);
  openGroups.value = isUnderFilter ? openGroups.peek() : hosts;
}

const NO_TRACKS: ReadonlySet<number> = new Set();

/** The tracks of the screen from top to bottom, and by themselves the pinned ones. */
export const trackOrder = computed(() => new TrackOrder(arrangement.value.body));
export const pinnedOrder = computed(() => new TrackOrder(arrangement.value.pinned));

/** The tracks of the area that is being dragged out, or else of the selected one; none while none is. */
export const areaTracks = computed<ReadonlySet<number>>(() => {
  const chosen = selection.value;
  const area = draftArea.value?.area ?? (chosen.kind === "area" ? chosen : null);
  return area?.tracks ?? NO_TRACKS;
});

/** The part of the screen that pinned tracks get at most: the others have to be seen, too. */
const PINNED_PART = 0.5;

const pinnedLimitPx = computed(() => Math.max(60, Math.floor(scroll.value.heightPx * PINNED_PART)));

export const layout = computed<Layout>(() => {
  const { pinned, body } = arrangement.value;
  return layOut(body, shownOpen.value, pinned, pinnedLimitPx.value, laneHeights.value);
});

/** Scroll position of the tracks, never beyond their end: the browser follows a layout that has become shorter later. */
export const scrolled = computed<ScrollPlace>(() => {
  const { topPx, pinnedTopPx, heightPx } = scroll.value;
  const { heightPx: contentPx, pinnedContentPx, pinnedPx } = layout.value;
  return {
    topPx: Math.max(0, Math.min(topPx, contentPx - heightPx)),
    pinnedTopPx: Math.max(0, Math.min(pinnedTopPx, pinnedContentPx - pinnedPx + PINNED_EDGE_PX)),
  };
});
