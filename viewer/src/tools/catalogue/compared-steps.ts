/** Steps that a tool compares, as fields of its question: `compare_step` and `against_step`. */

import type { ComparedSteps } from "../../answers/step-comparison";
import type { PageRange, PageTexts } from "../contract";

export const COMPARED = "compare_step";
const AGAINST = "against_step";
const STEP = /^\d{1,18}$/;

/** The steps that are compared; null: none. Against others, or against one, without a first: the only one of the range. */
export function comparedSteps(texts: PageTexts, range: PageRange): ComparedSteps | null {
  const against = texts[AGAINST] ?? "";
  const named = stepOf(texts[COMPARED] ?? "");
  const only = range.kind === "steps" && range.first === range.last && against !== "" ? range.first : null;
  const first = named ?? only;
  return first === null ? null : { first, second: stepOf(against) };
}

/** The fields of a page with other steps to compare. */
export function withCompared(texts: PageTexts, compared: ComparedSteps | null): PageTexts {
  const { [COMPARED]: _first, [AGAINST]: _second, ...others } = texts;
  if (compared === null) {
    return others;
  }
  const { first, second } = compared;
  return { ...others, [COMPARED]: String(first), ...(second === null ? {} : { [AGAINST]: String(second) }) };
}

function stepOf(text: string): bigint | null {
  return STEP.test(text) ? BigInt(text) : null;
}
