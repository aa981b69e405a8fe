/** Highlight that a person has set in the timeline, while all else is veiled: it goes before the hits of the search box. */

import { signal } from "@preact/signals";

export type Highlight =
  /** Hits of a search. */
  | { readonly kind: "query"; readonly key: string; readonly query: string }
  /** All events of some tracks. */
  | { readonly kind: "tracks"; readonly key: string; readonly tracks: ReadonlySet<number> };

/** Takes effect where `connectEmphasis` of `timeline/emphasis.ts` has been called, which is loaded with who first sets it. */
export const highlight = signal<Highlight | null>(null);
