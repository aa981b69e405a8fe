/** The part of the address that is the step trace's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

export interface StepTraceFields {
  /** Tracks whose steps are looked at; empty: all. */
  readonly tracks: string;
  /** Operators with which forward starts and backward ends; empty: as they are marked. */
  readonly forwardStart: string;
  readonly backwardEnd: string;
}

export const FIELDS: PageFields<StepTraceFields> = {
  parse: ({ tracks = "", forward_start = "", backward_end = "" }) => ({
    tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "",
    forwardStart: forward_start.trim(),
    backwardEnd: backward_end.trim(),
  }),
  format: ({ tracks, forwardStart, backwardEnd }) => ({
    ...(tracks === "" ? {} : { tracks }),
    ...(forwardStart === "" ? {} : { forward_start: forwardStart }),
    ...(backwardEnd === "" ? {} : { backward_end: backwardEnd }),
  }),
};
