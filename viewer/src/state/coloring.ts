/** The choice of colours of the timeline: what they show, and of which kinds of work. */

import { computed, signal } from "@preact/signals";
import type { Meaning } from "../raster/meaning";
import type { ColorBy, Coloring } from "../raster/palette";
import { theme } from "./settings";

export type { ColorBy } from "../raster/palette";

export const colorBy = signal<ColorBy>("meaning");

/** The kinds of work that are shown in colour; null: all are. */
export const shownMeanings = signal<ReadonlySet<Meaning> | null>(null);

export const coloring = computed<Coloring>(() => ({
  theme: theme.value,
  by: colorBy.value,
  only: shownMeanings.value,
}));

/** Shows a kind in colour, or no longer; none chosen is all. */
export function toggleMeaning(meaning: Meaning): void {
  const chosen = new Set(shownMeanings.peek());
  if (!chosen.delete(meaning)) {
    chosen.add(meaning);
  }
  shownMeanings.value = chosen.size === 0 ? null : chosen;
}
