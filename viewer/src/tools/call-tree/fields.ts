/** The part of the address that is the call tree's own; the names are those of the tool's question. */

import { GROUPINGS, type TreeGrouping } from "../../answers/tree-groupings";
import type { PageFields } from "../contract";

/** Number of nodes that are listed and drawn, those with the most time. */
export const LIMITS = ["1000", "10000", "100000"] as const;
export type Limit = (typeof LIMITS)[number];

/** As long as names in a question may be. */
const MOST_CHARACTERS = 4096;

/** Weights of nodes: time of slices, of work that they launch on devices, or bytes that they allocate. */
export const WEIGHTS = ["time", "device", "bytes"] as const;
export type Weight = (typeof WEIGHTS)[number];

export interface CallTreeFields {
  readonly by: TreeGrouping;
  readonly limit: Limit;
  readonly weight: Weight;
  /** Name that chains go through; empty: all chains. */
  readonly name: string;
  /** Tracks that are looked at; empty: all. */
  readonly tracks: string;
}

const DEFAULT: CallTreeFields = { by: "name", limit: "10000", weight: "time", name: "", tracks: "" };

export const FIELDS: PageFields<CallTreeFields> = {
  parse: ({ by, limit, weight, name = "", tracks = "" }) => ({
    by: GROUPINGS.find((grouping) => grouping === by) ?? DEFAULT.by,
    limit: LIMITS.find((choice) => choice === limit) ?? DEFAULT.limit,
    weight: WEIGHTS.find((choice) => choice === weight) ?? DEFAULT.weight,
    name: name.length <= MOST_CHARACTERS ? name : "",
    tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "",
  }),
  format: ({ by, limit, weight, name, tracks }) => ({
    ...(by === DEFAULT.by ? {} : { by }),
    ...(limit === DEFAULT.limit ? {} : { limit }),
    ...(weight === DEFAULT.weight ? {} : { weight }),
    ...(name === "" ? {} : { name }),
    ...(tracks === "" ? {} : { tracks }),
  }),
};
