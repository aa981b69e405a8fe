/** The query that the run is searched for. All else of the search is loaded when there is something to search for. */

import { batch, signal } from "@preact/signals";

/** Text in the search box, as it is typed. */
export const typedQuery = signal("");

/** The query; empty: none. It follows the typed text when one pauses. */
export const query = signal("");

/** True while the search box or its result has the focus. */
export const isSearchOpen = signal(false);

/** Searches for something at once. */
export function searchFor(text: string): void {
  // At once: what is typed must not be taken for something new in between.
  batch(() => {
    typedQuery.value = text;
    query.value = text.trim();
  });
}
