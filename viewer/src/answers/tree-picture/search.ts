/** Matches of a search in a picture: how many rows, and how much of the whole is in them. */

import { NO_NODE, type SizedRows } from "./node-tree";

export interface Matches {
  readonly rows: number;
  /** Part of the whole that lies in rows that match, each part once: 0 to 1. */
  readonly share: number;
}

/** Rows whose names match, and what lies in them or below them. */
export function matchesOf(rows: SizedRows, numbers: ArrayLike<number>, matching: Uint8Array): Matches {
  const { parents, sizes } = rows;
  const isInside = new Uint8Array(parents.length);
  let count = 0;
  let size = 0;
  let whole = 0;
  parents.forEach((parent, row) => {
    const isMatch = matching[numbers[row]!] === 1;
    count += isMatch ? 1 : 0;
    whole += parent === NO_NODE ? sizes[row]! : 0;
    const isBelow = parent !== NO_NODE && isInside[parent] === 1;
    isInside[row] = isMatch || isBelow ? 1 : 0;
    size += isMatch && !isBelow ? sizes[row]! : 0;
  });
  return { rows: count, share: whole > 0 ? size / whole : 0 };
}

/** The next box that matches after one, in the order of levels and then from left to right; -1: there is none. */
export function nextMatch(
  order: ArrayLike<number>,
  isMatch: (box: number) => boolean,
  current: number,
  step: 1 | -1,
): number {
  const { length } = order;
  const place = Array.prototype.indexOf.call(order, current);
  for (let k = 1; k <= length; k++) {
    const start = place < 0 ? (step > 0 ? -1 : length) : place;
    const box = order[(((start + step * k) % length) + length) % length]!;
    if (isMatch(box)) {
      return box;
    }
  }
  return -1;
}
