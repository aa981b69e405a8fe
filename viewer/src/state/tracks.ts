/** Which hosts and groups of the opened trace are shown, and the layout that follows from it. */

import { computed, signal } from "@preact/signals";
import { type Layout, layOut } from "./layout";
import { runView } from "./run";
import { filterHost, type TreeNode } from "./tree";

/** Only this host is shown; null: all. */
export const chosenHost = signal<string | null>(null);

/** Keys of the groups that are open. */
export const openGroups = signal<ReadonlySet<string>>(new Set());

export const roots = computed<readonly TreeNode[]>(() => {
  const view = runView.value;
  return view.kind === "open" ? filterHost(view.trace.roots, chosenHost.value) : [];
});

export const layout = computed<Layout>(() => layOut(roots.value, openGroups.value));
