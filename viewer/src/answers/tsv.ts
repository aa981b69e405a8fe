/** Tables as tab-separated text, with values as the answer has them: exact integers, ticks, no rounding. */

import type { FigureKind, ToolColumn } from "@tilescope/client";
import type { Figure } from "./figures";

const UNITS: Partial<Record<FigureKind, string>> = { ticks: "ticks", time: "ticks", bytes: "bytes" };

/** Header of a column: its id, and its unit where there is one: `busy_ticks`, `rate [1/s]`. */
export function tsvHeader({ id, kind, unit }: Pick<ToolColumn, "id" | "kind" | "unit">): string {
  const fixed = UNITS[kind];
  if (fixed !== undefined) {
    return id.endsWith(`_${fixed}`) ? id : `${id}_${fixed}`;
  }
  return unit === "" ? id : `${id} [${unit}]`;
}

/** Values as they are; what was not recorded is empty. */
export function tsvCell(value: Figure): string {
  return value === null ? "" : String(value).replace(/[\t\r\n]+/g, " ");
}

/** A header and these rows. `depths`, of the rows of a tree, is a column of its own, the first. */
export function tsv(
  columns: readonly ToolColumn[],
  rows: ArrayLike<number>,
  depths: ArrayLike<number> | null = null,
): string {
  const head = columns.map(tsvHeader);
  const lines = [(depths === null ? head : ["depth", ...head]).join("\t")];
  for (let k = 0; k < rows.length; k++) {
    const cells = columns.map((column) => tsvCell(column.values[rows[k]!] ?? null));
    lines.push((depths === null ? cells : [String(depths[k]), ...cells]).join("\t"));
  }
  return `${lines.join("\n")}\n`;
}
