/** The part of the address that is the toy page's own. */

import type { PageFields } from "../../src/tools/contract";

export interface ToyFields {
  /** So many names are listed. */
  readonly count: number;
}

const DEFAULT_COUNT = 3;

export const FIELDS: PageFields<ToyFields> = {
  parse: ({ count = "" }) => ({ count: /^[1-9]\d{0,2}$/.test(count) ? Number(count) : DEFAULT_COUNT }),
  format: ({ count }) => (count === DEFAULT_COUNT ? {} : { count: String(count) }),
};
