/** Groups of pages in the Tools menu, by the question that they answer. A tool's registration says which is its own. */

import type { Page } from "./contract";

export interface PageGroup {
  readonly id: string;
  /** Empty: the group needs no words. */
  readonly heading: string;
  readonly pages: readonly Page[];
}

/** Headings of `GROUPS` of tiler/tools/tool.py, in the order of the menu. */
const HEADINGS: readonly (readonly [string, string])[] = [
  ["overview", ""],
  ["time", "Where does the time go?"],
  ["waiting", "Why is it waiting?"],
  ["memory", "Memory"],
  ["program", "Program"],
  ["counters", "Counters"],
  ["raw", "Raw data"],
];

/** For tools of other packages, of groups that are unknown here. */
const OTHER: readonly [string, string] = ["other", "Other"];

/** The group of data as they are, which the menu folds. */
export const RAW = "raw";

/** The group in which a page is. */
export function groupOf({ group }: Pick<Page, "group">): string {
  return HEADINGS.some(([id]) => id === group) ? group : OTHER[0];
}

/** Pages by their group, in the order of the menu; without groups that have no page. */
export function grouped(pages: readonly Page[]): readonly PageGroup[] {
  return [...HEADINGS, OTHER]
    .map(([id, heading]) => ({ id, heading, pages: pages.filter((page) => groupOf(page) === id) }))
    .filter((group) => group.pages.length > 0);
}
