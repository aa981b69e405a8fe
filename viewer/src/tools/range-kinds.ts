/** Kinds of range that a page takes: apart from `range.ts`, which is loaded with the first page beside the timeline. */

import type { RangeKind } from "../state/page";

export const ALL_RANGES: ReadonlySet<RangeKind> = new Set<RangeKind>(["run", "selection", "steps"]);

/** The ranges that a tool takes, by the fields of its question. */
export function rangesOf(fields: readonly string[]): ReadonlySet<RangeKind> {
  const ranges = new Set<RangeKind>(["run"]);
  if (fields.includes("start") && fields.includes("end")) {
    ranges.add("selection");
  }
  if (fields.includes("steps")) {
    ranges.add("steps");
  }
  return ranges;
}
