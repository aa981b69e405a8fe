/** Parts of a pane that are open. */

import { signal } from "@preact/signals";

export function openParts() {
  const isDrawerOpen = signal(false);
  /** The list of marks, in place of the details. */
  const isMarksOpen = signal(false);
  /** The slices in view as a table, in the place of the canvas. */
  const isTableOpen = signal(false);
  /** The list in which a track is found by its name. */
  const isFinderOpen = signal(false);
  return { isDrawerOpen, isMarksOpen, isTableOpen, isFinderOpen };
}
