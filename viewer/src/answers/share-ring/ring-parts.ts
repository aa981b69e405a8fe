/** The parts of a ring: the largest rows of a table by a column whose values add up to a whole; pure. */

import type { ShownColumn } from "../columns";
import type { TableModel } from "../table-model";

/** Rows that have a part of their own at most. */
const MOST_PARTS = 12;
/** Smaller parts could not be seen, nor pointed at. */
const LEAST_SHARE = 0.005;

/** `others`: rows that are too small for a part of their own; `rest`: what the whole has beside the rows. */
export type PartKind = "row" | "others" | "rest";

export interface RingPart {
  readonly kind: PartKind;
  /** Its row; -1 for what is not one. */
  readonly row: number;
  /** The number of its rows. */
  readonly rows: number;
  readonly size: number;
  readonly share: number;
  /** Its beginning, as a share of the whole. */
  readonly from: number;
}

/** Columns that a ring can be drawn of: parts of a total, or fractions, that add up to no more than the whole. Shares come first, then times. */
export function ringColumns(model: TableModel): readonly ShownColumn[] {
  if (model.tree !== null || model.size === 0) {
    return [];
  }
  const columns = model.columns.filter((column) => {
    if (!model.hasBars(column) || column.isUse || column.column.total !== "sum") {
      return false;
    }
    const shares = [...column.approximate].filter((value) => !Number.isNaN(value));
    const sum = shares.reduce((all, value) => all + value, 0);
    // Doubles: of a million parts the sum may be a little more than the whole.
    return shares.every((value) => value >= 0) && sum > 0 && sum <= wholeOf(model, column) * (1 + 1e-6);
  });
  return columns.sort((a, b) => rankOf(a) - rankOf(b));
}

/** The parts by size, what is left last; sizes are doubles, as on the screen. Rows are those that the filter leaves. */
export function ringParts(model: TableModel, column: ShownColumn, rows: ArrayLike<number>): readonly RingPart[] {
  const whole = wholeOf(model, column);
  const sizes = column.approximate;
  const largest = Array.from(rows)
    .filter((row) => sizes[row]! > 0)
    .sort((a, b) => sizes[b]! - sizes[a]! || a - b);
  const own = largest.slice(0, MOST_PARTS).filter((row) => sizes[row]! >= LEAST_SHARE * whole);
  const others = largest.slice(own.length);
  const sum = (summed: readonly number[]) => summed.reduce((all, row) => all + sizes[row]!, 0);
  const left = whole - sum(own) - sum(others);
  const parts: RingPart[] = [];
  let from = 0;
  const add = (kind: PartKind, row: number, count: number, size: number) => {
    const share = Math.min(size / whole, 1 - from);
    parts.push({ kind, row, rows: count, size, share, from });
    from += share;
  };
  for (const row of own) {
    add("row", row, 1, sizes[row]!);
  }
  if (others.length > 0) {
    add("others", -1, others.length, sum(others));
  }
  // Less than a millionth is what doubles have lost.
  if (left > whole * 1e-6) {
    add("rest", -1, 0, left);
  }
  return parts;
}

/** The part at a point, in pixels from the centre; -1: there is none. */
export function partAt(parts: readonly RingPart[], xPx: number, yPx: number, innerPx: number, outerPx: number): number {
  const radius = Math.hypot(xPx, yPx);
  if (radius < innerPx || radius > outerPx) {
    return -1;
  }
  const turn = Math.atan2(xPx, -yPx) / (2 * Math.PI);
  const place = turn < 0 ? turn + 1 : turn;
  return parts.findIndex(({ from, share }) => place >= from && place < from + share);
}

/** The part that a key leads to from one; null: the key leads nowhere. */
export function partByKey(count: number, current: number, key: string): number | null {
  if (count === 0) {
    return null;
  }
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return Math.min(current + 1, count - 1);
    case "ArrowLeft":
    case "ArrowUp":
      return current < 0 ? count - 1 : Math.max(current - 1, 0);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

function rankOf({ column }: ShownColumn): number {
  return column.kind === "fraction" ? 0 : column.kind === "ticks" ? 1 : 2;
}

function wholeOf(model: TableModel, { column }: ShownColumn): number {
  return column.kind === "fraction" ? 1 : Number(model.table.totals?.[column.id] ?? Number.NaN);
}
