/** Trees that a call tree is made of: one of all tracks, or one of each. */

export const GROUPINGS = ["name", "track"] as const;
export type TreeGrouping = (typeof GROUPINGS)[number];

export const GROUPING_TEXTS: Readonly<Record<TreeGrouping, string>> = {
  name: "Merged by name",
  track: "Track by track",
};
