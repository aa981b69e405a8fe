/** The part of the address that is the page's own. */

import type { PageFields } from "../contract";

export interface QueryFields {
  /** The statement that is run; empty: none yet. */
  readonly sql: string;
  /** Columns of the chart, by their names; empty: no chart. */
  readonly x: string;
  readonly y: string;
}

export const FIELDS: PageFields<QueryFields> = {
  parse: ({ sql = "", x = "", y = "" }) => ({ sql, x, y }),
  format: ({ sql, x, y }) => ({
    ...(sql === "" ? {} : { sql }),
    ...(x === "" ? {} : { x }),
    ...(y === "" ? {} : { y }),
  }),
};
