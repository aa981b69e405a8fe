/** The part of the address that is the memory profile's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

export interface MemoryProfileFields {
  /** As `HOST · NAME`, or a name alone; empty: the fullest one. */
  readonly memory: string;
  /** Tracks that say whose memories are looked at; empty: all. */
  readonly tracks: string;
}

export const FIELDS: PageFields<MemoryProfileFields> = {
  parse: ({ memory = "", tracks = "" }) => ({
    memory: memory.slice(0, 1000),
    tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "",
  }),
  format: ({ memory, tracks }) => ({
    ...(memory === "" ? {} : { memory }),
    ...(tracks === "" ? {} : { tracks }),
  }),
};
