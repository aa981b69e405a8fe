/** The part of the address that is the call tree's own; the names are those of the tool's question. */

import { GROUPINGS, type TreeGrouping } from "../../answers/tree-groupings";
import type { PageFields } from "../contract";

/** Number of nodes that are listed and drawn, those with the most time. */
export const LIMITS = ["1000", "10000", "100000"] as const;
export type Limit = (typeof LIMITS)[number];

export interface CallTreeFields {
  readonly by: TreeGrouping;
  readonly limit: Limit;
  /** Tracks that are looked at; empty: all. */
  readonly tracks: string;
}

const DEFAULT: CallTreeFields = { by: "name", limit: "10000", tracks: "" };

export const FIELDS: PageFields<CallTreeFields> = {
  parse: ({ by, limit, tracks = "" }) => ({
    by: GROUPINGS.find((grouping) => grouping === by) ?? DEFAULT.by,
    limit: LIMITS.find((choice) => choice === limit) ?? DEFAULT.limit,
    tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "",
  }),
  format: ({ by, limit, tracks }) => ({
    ...(by === DEFAULT.by ? {} : { by }),
    ...(limit === DEFAULT.limit ? {} : { limit }),
    ...(tracks === "" ? {} : { tracks }),
  }),
};
