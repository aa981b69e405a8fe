/** Which hosts and groups of the opened trace are shown, and the layout that follows from it. */

import { computed, signal } from "@preact/signals";
import { type Layout, layOut } from "./layout";
import { runView } from "./run";
import { draftArea, selection } from "./selection";
import { TrackOrder } from "./track-order";
import { allGroups, filterHost, type TreeNode } from "./tree";

/** Only this host is shown; null: all. */
export const chosenHost = signal<string | null>(null);

/** Keys of the groups that are open. */
export const openGroups = signal<ReadonlySet<string>>(new Set());

export function setOpenGroups(open: ReadonlySet<string>): void {
  openGroups.value = open;
}

export function expandAll(nodes: readonly TreeNode[]): void {
  openGroups.value = allGroups(nodes);
}

export function collapseAll(): void {
  openGroups.value = new Set();
}

export const roots = computed<readonly TreeNode[]>(() => {
  const view = runView.value;
  return view.kind === "open" ? filterHost(view.trace.roots, chosenHost.value) : [];
});

const NO_TRACKS: ReadonlySet<number> = new Set();

export const trackOrder = computed(() => new TrackOrder(roots.value));

/** The tracks of the area that is being dragged out, or else of the selected one; none while none is. */
export const areaTracks = computed<ReadonlySet<number>>(() => {
  const chosen = selection.value;
  const area = draftArea.value?.area ?? (chosen.kind === "area" ? chosen : null);
  return area?.tracks ?? NO_TRACKS;
});

export const layout = computed<Layout>(() => layOut(roots.value, openGroups.value));
