/** The part of the address that is the step trace's own; the name is that of the tool's question. */

import type { PageFields } from "../contract";

export interface StepTraceFields {
  /** Tracks whose steps are looked at; empty: all. */
  readonly tracks: string;
}

export const FIELDS: PageFields<StepTraceFields> = {
  parse: ({ tracks = "" }) => ({ tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "" }),
  format: ({ tracks }) => (tracks === "" ? {} : { tracks }),
};
