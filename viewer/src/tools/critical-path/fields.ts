/** The part of the address that is the critical path's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

/** Number of rows that each table lists. */
export const LIMITS = ["100", "1000", "10000"] as const;
export type RowLimit = (typeof LIMITS)[number];

export interface CriticalPathFields {
  /** Kind whose pieces are listed, as questions write it; empty: all. */
  readonly kind: string;
  readonly limit: RowLimit;
  /** Tracks that tell which process is looked at; empty: the first that has a path. */
  readonly tracks: string;
}

export const FIELDS: PageFields<CriticalPathFields> = {
  parse: ({ path_kind = "", limit, tracks = "" }) => ({
    kind: /^[a-z_]{1,40}$/.test(path_kind) ? path_kind : "",
    limit: LIMITS.find((choice) => choice === limit) ?? LIMITS[0],
    tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "",
  }),
  format: ({ kind, limit, tracks }) => ({
    ...(kind === "" ? {} : { path_kind: kind }),
    ...(limit === LIMITS[0] ? {} : { limit }),
    ...(tracks === "" ? {} : { tracks }),
  }),
};
