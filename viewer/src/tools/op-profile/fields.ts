/** The part of the address that is the op profile's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

export const GROUPINGS = ["program", "category", "provenance", "module", "annotation"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Number of parts that are listed: the greatest, so many of them or until they make up so many percent of the time. */
export const LISTED = ["limit=10", "limit=20", "limit=50", "limit=100", "cover=90"] as const;
export type Listed = (typeof LISTED)[number];

export interface OpProfileFields {
  readonly by: Grouping;
  readonly withIdle: boolean;
  readonly listed: Listed;
  /** Tracks that say whose cores are looked at; empty: all. */
  readonly tracks: string;
  /** The operation that one comes for, by its name; empty: none. */
  readonly operation: string;
}

const DEFAULT: OpProfileFields = { by: "category", withIdle: true, listed: "limit=10", tracks: "", operation: "" };

/** Few parts of each at first; who comes for an operation is to find it. */
function listedAtFirst(operation: string): Listed {
  return operation === "" ? DEFAULT.listed : "limit=100";
}

export const FIELDS: PageFields<OpProfileFields> = {
  parse: ({ by, with_idle, limit, cover, tracks = "", operation = "" }) => ({
    by: GROUPINGS.find((grouping) => grouping === by) ?? DEFAULT.by,
    withIdle: with_idle !== "false",
    listed:
      LISTED.find((choice) => choice === `cover=${cover}` || choice === `limit=${limit}`) ?? listedAtFirst(operation),
    tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "",
    operation: operation.slice(0, 1000),
  }),
  format: ({ by, withIdle, listed, tracks, operation }) => ({
    ...(by === DEFAULT.by ? {} : { by }),
    ...(withIdle ? {} : { with_idle: "false" }),
    ...(listed === listedAtFirst(operation) ? {} : part(listed)),
    ...(tracks === "" ? {} : { tracks }),
    ...(operation === "" ? {} : { operation }),
  }),
};

/** `listed` as a part of the question. */
export function part(listed: Listed): Readonly<Record<string, string>> {
  const [name, value] = listed.split("=");
  return { [name!]: value! };
}
