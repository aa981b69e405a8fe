/** What is searched for in the run. All else of the search is loaded when there is something to search for. */

import { batch, signal } from "@preact/signals";

/** What is being typed, as it stands in the box. */
export const typedQuery = signal("");

/** What is searched for; empty: nothing. It follows what is typed when one pauses. */
export const query = signal("");

/** Whether one is at the box or at what it has found. */
export const isSearchOpen = signal(false);

/** Searches for something at once. */
export function searchFor(text: string): void {
  // At once: what is typed must not be taken for something new in between.
  batch(() => {
    typedQuery.value = text;
    query.value = text.trim();
  });
}
