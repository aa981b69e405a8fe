/** Rows of the tables beside the timeline that are about one event, as the tool `tables` answers them. Pure. */

import type { ToolAnswer } from "@tilescope/client";
import type { ShownArg } from "./arguments";

/** A row of a table: its cells by the names of the header, and where it stands. */
export interface FileRow {
  readonly key: string;
  readonly file: string;
  readonly cells: readonly ShownArg[];
  /** Columns that say nothing about this event. */
  readonly emptyCells: number;
}

/** Format of files that become tables, among those of a run: `ascend_table + trace_event_json`. */
const TABLES = "ascend_table";

/** True if a run of this format may have such rows. */
export function mayHaveTables(format: string): boolean {
  return format.split(" + ").includes(TABLES);
}

/** The rows in their order. */
export function tableRows({ tables }: ToolAnswer): readonly FileRow[] {
  const table = tables.find(({ id }) => id === "event");
  const column = (name: string) => table?.columns.find(({ id }) => id === name)?.values ?? [];
  const [files, rows, names, values] = ["name", "row", "column", "value"].map(column);
  const numbers = column("number");
  const byKey = new Map<string, { file: string; cells: ShownArg[]; emptyCells: number }>();
  numbers.forEach((number, k) => {
    const key = `${number}.${rows![k]}`;
    const row = byKey.get(key) ?? { file: String(files![k]), cells: [], emptyCells: 0 };
    byKey.set(key, row);
    if (values![k] === null) {
      row.emptyCells += 1;
    } else {
      const text = String(values![k]);
      row.cells.push({ name: String(names![k]), raw: text, text, exact: "" });
    }
  });
  return [...byKey].map(([key, row]) => ({ key, ...row }));
}
