/** Texts of a page that changes its fields: what all pages share stays where it has no field for that. Pure. */

import { sharedTexts } from "../state/page";
import type { PageFields, PageTexts } from "./contract";

/** Texts of a page with these fields; `before`: those that it has. A field that is shared goes when the page itself leaves it out. */
export function changedTexts<Fields>(fields: PageFields<Fields>, before: PageTexts, next: Fields): PageTexts {
  const own = fields.format(fields.parse(before));
  const kept = Object.entries(sharedTexts(before)).filter(([name]) => !(name in own));
  return { ...Object.fromEntries(kept), ...fields.format(next) };
}

/** True if both have the same texts by the same names. */
export function areSameTexts(texts: PageTexts, others: PageTexts): boolean {
  const names = new Set([...Object.keys(texts), ...Object.keys(others)]);
  return [...names].every((name) => texts[name] === others[name]);
}
