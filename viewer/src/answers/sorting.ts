/** The order of rows. What was not recorded comes last, whichever way one sorts; equal rows keep the answer's order. */

export interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

/** A click on a column's header: numbers begin with the largest; the third click returns to the answer's order. */
export function nextSort(sort: Sort | null, column: string, isNumeric: boolean): Sort | null {
  if (sort === null || sort.column !== column) {
    return { column, isDescending: isNumeric };
  }
  return sort.isDescending === isNumeric ? { column, isDescending: !isNumeric } : null;
}

/** These rows in order. */
export function sortRows(
  rows: readonly number[] | Uint32Array,
  ranks: Float64Array,
  isDescending: boolean,
): Uint32Array {
  const sign = isDescending ? -1 : 1;
  return Uint32Array.from(rows).sort((a, b) => {
    const first = ranks[a]!;
    const second = ranks[b]!;
    if (first === second || (Number.isNaN(first) && Number.isNaN(second))) {
      return a - b;
    }
    if (Number.isNaN(first)) {
      return 1;
    }
    return Number.isNaN(second) ? -1 : sign * (first - second);
  });
}
