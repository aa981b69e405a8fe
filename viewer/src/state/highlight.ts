/** Highlight that a person has set in the timeline, while all else is veiled: it goes before the hits of the search box. */

import { signal } from "@preact/signals";
import type { TickRange } from "@tilescope/client";

export type Highlight =
  /** Hits of a search. */
  | { readonly kind: "query"; readonly key: string; readonly query: string }
  /** Time in which a track has nothing: it has an outline, and nothing is veiled. */
  | { readonly kind: "gap"; readonly key: string; readonly track: number; readonly range: TickRange }
  /** All events of some tracks. */
  | { readonly kind: "tracks"; readonly key: string; readonly tracks: ReadonlySet<number> };

export function highlightState() {
  /** Takes effect where `connectEmphasis` of `timeline/emphasis.ts` has been called, which is loaded with who first sets it. */
  const highlight = signal<Highlight | null>(null);
  return { highlight };
}
