/** A question as one text: equal for equal questions. */

import type { ToolQuestion } from "@tilescope/client";

/** `about` is what else tells questions apart: the tool, the build, the range. */
export function questionKey(about: readonly (string | number)[], question: ToolQuestion): string {
  const fields = Object.entries(question).map(([name, value]) => [name, value === undefined ? null : String(value)]);
  return JSON.stringify([about, fields]);
}
