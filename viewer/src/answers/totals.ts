/** What the rows that are shown come to, exactly: for the line below a table that a filter has shortened. */

import type { ToolColumn } from "@tilescope/client";
import { type Figure, isInteger, isRecorded } from "./figures";

/** The sum of the values of some rows, or the greatest or least of them; null where nothing was recorded. */
export function combine(column: ToolColumn, rows: ArrayLike<number>): Figure {
  if (column.total === "none") {
    return null;
  }
  return isInteger(column.kind) ? combineIntegers(column, rows) : combineNumbers(column, rows);
}

function combineIntegers({ values, total }: ToolColumn, rows: ArrayLike<number>): string | null {
  let found: bigint | null = null;
  for (let k = 0; k < rows.length; k++) {
    const text = values[rows[k]!] ?? null;
    if (text !== null) {
      const value = BigInt(text);
      found = found === null ? value : put(total, found, value);
    }
  }
  return found === null ? null : found.toString();
}

function put(total: ToolColumn["total"], found: bigint, value: bigint): bigint {
  switch (total) {
    case "sum":
      return found + value;
    case "max":
      return value > found ? value : found;
    case "min":
      return value < found ? value : found;
    case "none":
      return found;
  }
}

function combineNumbers({ values, total }: ToolColumn, rows: ArrayLike<number>): number | null {
  let found: number | null = null;
  for (let k = 0; k < rows.length; k++) {
    const value = values[rows[k]!] ?? null;
    if (typeof value === "number" && isRecorded(value)) {
      found =
        found === null
          ? value
          : total === "sum"
            ? found + value
            : total === "max"
              ? Math.max(found, value)
              : Math.min(found, value);
    }
  }
  return found;
}
