/** The groups of pages, for the menu. */

import type { Page } from "./contract";

/** Pages by their group, in the order in which groups come first. */
export function grouped(known: readonly Page[]): readonly (readonly [string, readonly Page[]])[] {
  const groups = new Map<string, Page[]>();
  for (const one of known) {
    const members = groups.get(one.group);
    if (members === undefined) {
      groups.set(one.group, [one]);
    } else {
      members.push(one);
    }
  }
  return [...groups];
}
