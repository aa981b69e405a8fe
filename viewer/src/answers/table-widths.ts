/** Widths of columns: as their longest texts ask for, within limits; the column of names takes the rest. */

import type { ShownColumn } from "./columns";
import type { TotalLine } from "./table-model";

/** Width in DejaVu Sans, the widest font that browsers take where a system has no other, as Linux in containers. */
const DIGIT_PX = 8.3;
/** A point, or a thin space between groups of digits. */
const SEPARATOR_PX = 4.2;
const LETTER_PX = 7.8;
/** Units are written smaller. */
const UNIT_PX = 6.4;
const PADDING_PX = 24;
/** The letters of a short text may all be wide ones. */
const SHORT_PX = 8;
/** Width of the arrow beside a title. */
const ARROW_PX = 14;
const LIMITS_PX = { min: 56, max: 340, main: 200 } as const;

/** Room for the bars of shares, left of the digits. */
const BAR_PX = 32;

/** So many rows are looked at: the first ones, and some of the others. */
const SAMPLE_ROWS = 400;

/** In pixels; `indentPx`: room before the text of the main column; `hasBars`: shares are drawn in its cells. */
export function widthOf(
  column: ShownColumn,
  totals: readonly TotalLine[],
  isMain: boolean,
  indentPx: number,
  hasBars = false,
  mostTextPx: number = LIMITS_PX.max,
): number {
  const { unit } = column.scale;
  const head = column.title.length * LETTER_PX + (unit === "" ? 0 : 6 + unit.length * UNIT_PX) + ARROW_PX;
  const text = textPx(column, totals);
  const body = text + (column.isNumeric ? (hasBars ? BAR_PX : 0) : SHORT_PX) + (isMain ? indentPx : 0);
  const wanted = Math.ceil(Math.max(head, body) + PADDING_PX);
  return Math.max(
    isMain && !column.isNumeric ? LIMITS_PX.main : LIMITS_PX.min,
    Math.min(column.isNumeric || isMain ? LIMITS_PX.max : mostTextPx, wanted),
  );
}

/** Part of a cell that its digits take, right of its bar. */
export function digitsPx(column: ShownColumn, totals: readonly TotalLine[]): number {
  return Math.ceil(textPx(column, totals)) + PADDING_PX / 2 + 6;
}

/** Width of the widest text of a column. */
function textPx(column: ShownColumn, totals: readonly TotalLine[]): number {
  const { values } = column.column;
  const px = column.isNumeric ? figurePx : wordsPx;
  const step = Math.max(1, Math.floor(values.length / SAMPLE_ROWS));
  let widest = 0;
  for (let row = 0; row < values.length; row += row < SAMPLE_ROWS ? 1 : step) {
    widest = Math.max(widest, px(column.text(values[row] ?? null)));
  }
  for (const { values: sums } of totals) {
    // They are bold.
    widest = Math.max(widest, 1.12 * px(column.text(sums[column.id] ?? null)));
  }
  return widest;
}

function figurePx(text: string): number {
  const separators = text.split(/[.,\u202f]/).length - 1;
  return (text.length - separators) * DIGIT_PX + separators * SEPARATOR_PX;
}

function wordsPx(text: string): number {
  return text.length * LETTER_PX;
}
