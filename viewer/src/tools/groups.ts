/** The groups of pages, for the menu. */

import type { Page } from "./contract";

/** Pages by their group, in the order in which groups come first. */
export function grouped(pages: readonly Page[]): readonly (readonly [string, readonly Page[]])[] {
  const groups = new Map<string, Page[]>();
  for (const page of pages) {
    const members = groups.get(page.group);
    if (members === undefined) {
      groups.set(page.group, [page]);
    } else {
      members.push(page);
    }
  }
  return [...groups];
}
