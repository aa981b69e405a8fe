/** Columns and tables for tests, and for the page of `viewer/dev` that shows them. */

import type { FigureKind, ToolColumn, ToolTable } from "@tilescope/client";
import type { Figure } from "./figures";

export function column(
  id: string,
  kind: FigureKind,
  values: readonly Figure[],
  more: Partial<Pick<ToolColumn, "title" | "unit" | "total">> = {},
): ToolColumn {
  return { id, title: id, kind, unit: "", total: "sum", values, ...more };
}

/** Properties that most charts leave at their defaults. */
export const PLAIN = { scale: "linear", lines: [], labels: null } as const;

export function table(columns: readonly ToolColumn[], more: Partial<ToolTable> = {}): ToolTable {
  return {
    id: "t",
    title: "T",
    parent: null,
    nested: [],
    opens: [],
    columns,
    totals: null,
    rest: null,
    more: null,
    ...more,
  };
}
