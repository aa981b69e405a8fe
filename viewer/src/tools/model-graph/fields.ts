/** The part of the address that is the model graph's own. */

import type { PageFields } from "../contract";

export interface ModelGraphFields {
  /** The scope whose parts are shown; empty: all. */
  readonly scope: string;
}

const MOST_CHARACTERS = 4096;

export const FIELDS: PageFields<ModelGraphFields> = {
  parse: ({ scope = "" }) => ({ scope: scope.slice(0, MOST_CHARACTERS) }),
  format: ({ scope }): Readonly<Record<string, string>> => (scope === "" ? {} : { scope }),
};
