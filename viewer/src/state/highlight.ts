/** What stands out in the timeline, while all else is dimmed: events of some names, those of some tracks, hits of a search. */

import { signal } from "@preact/signals";
import type { EventName } from "@tilescope/client";

export interface Highlight {
  /** Two that are of the same have the same key. */
  readonly key: string;
  /** Whether events of a name stand out; null: those of all names. */
  readonly keeps: ((id: number, name: EventName | undefined) => boolean) | null;
  /** On which tracks; null: on all. */
  readonly tracks: ReadonlySet<number> | null;
  /** A search that finds the same, so that those in aggregates are marked, too; null where there are no words for it. */
  readonly query: string | null;
}

/** Takes effect where `connectEmphasis` of `timeline/emphasis.ts` has been called, which is loaded with who first sets it. */
export const highlight = signal<Highlight | null>(null);
