/** Rows in view: a part of the rows of a map, which need not begin or end with a whole row. Pure. */

export interface RowView {
  readonly from: number;
  readonly to: number;
}

/** The closest zoom: a row and its surroundings. */
const LEAST_ROWS = 0.2;

/** The view within `count` rows. */
export function clampRows({ from, to }: RowView, count: number): RowView {
  const size = Math.min(Math.max(to - from, Math.min(LEAST_ROWS, count)), count);
  const first = Math.min(Math.max(from, 0), count - size);
  return { from: first, to: first + size };
}

/** `factor` times as many rows; that at `part` of the height stays where it is. */
export function zoomRows(view: RowView, part: number, factor: number, count: number): RowView {
  const size = Math.min(Math.max((view.to - view.from) * factor, LEAST_ROWS), count);
  const fixed = view.from + (view.to - view.from) * part;
  return clampRows({ from: fixed - part * size, to: fixed + (1 - part) * size }, count);
}

/** Part of the height that keys zoom around: the middle of the chosen row if it is in view, of however little of it; else of all. */
export function zoomPart({ from, to }: RowView, chosen: number): number {
  const middle = chosen + 0.5;
  return middle >= from && middle <= to ? (middle - from) / (to - from) : 0.5;
}

/** The view moved down by so many rows. */
export function moveRows({ from, to }: RowView, rows: number, count: number): RowView {
  return clampRows({ from: from + rows, to: to + rows }, count);
}

/** The same number of rows with a row in it, which is in the middle unless it was in view. */
export function showRow(view: RowView, row: number, count: number): RowView {
  if (row >= view.from && row + 1 <= view.to) {
    return view;
  }
  const half = (view.to - view.from) / 2;
  return clampRows({ from: row + 0.5 - half, to: row + 0.5 + half }, count);
}
