/** Widths of a table's columns in the room that it has: names and other texts give way, so that figures stay in sight. */

export interface ColumnWidth {
  readonly id: string;
  /** Width that its texts ask for. */
  readonly widthPx: number;
  /** The least that it can do with. */
  readonly leastPx: number;
}

/** Limits of a column that is dragged. */
export const DRAGGED_PX = { min: 48, max: 2000 } as const;

/**
 * Widths in the order of the columns. `dragged`: widths that a person has chosen, which stay as they are; where the others are
 * wider than the room, each gives the same part of what it has to spare.
 */
export function widthsIn(
  columns: readonly ColumnWidth[],
  roomPx: number,
  dragged: ReadonlyMap<string, number>,
): readonly number[] {
  const wanted = columns.map(({ id, widthPx }) => dragged.get(id) ?? widthPx);
  const spares = columns.map(({ id, widthPx, leastPx }) => (dragged.has(id) ? 0 : Math.max(0, widthPx - leastPx)));
  const spare = sum(spares);
  const part = spare === 0 ? 0 : Math.min(1, Math.max(0, sum(wanted) - roomPx) / spare);
  return wanted.map((widthPx, k) => Math.ceil(widthPx - part * spares[k]!));
}

/** The choice of widths with another for a column; null: its own again. */
export function withWidth(
  dragged: ReadonlyMap<string, number>,
  id: string,
  widthPx: number | null,
): ReadonlyMap<string, number> {
  const next = new Map(dragged);
  if (widthPx === null) {
    next.delete(id);
  } else {
    next.set(id, Math.min(DRAGGED_PX.max, Math.max(DRAGGED_PX.min, Math.round(widthPx))));
  }
  return next;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
