/** Exact sums of the rows that are shown: for the line below a table that a filter has shortened. */

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
  let result: bigint | null = null;
  for (let k = 0; k < rows.length; k++) {
    const text = values[rows[k]!] ?? null;
    if (text !== null) {
      const value = BigInt(text);
      result = result === null ? value : put(total, result, value);
    }
  }
  return result === null ? null : result.toString();
}

function put(total: ToolColumn["total"], sum: bigint, value: bigint): bigint {
  switch (total) {
    case "sum":
      return sum + value;
    case "max":
      return value > sum ? value : sum;
    case "min":
      return value < sum ? value : sum;
    case "none":
      return sum;
  }
}

function combineNumbers({ values, total }: ToolColumn, rows: ArrayLike<number>): number | null {
  let result: number | null = null;
  for (let k = 0; k < rows.length; k++) {
    const value = values[rows[k]!] ?? null;
    if (typeof value === "number" && isRecorded(value)) {
      result =
        result === null
          ? value
          : total === "sum"
            ? result + value
            : total === "max"
              ? Math.max(result, value)
              : Math.min(result, value);
    }
  }
  return result;
}
