/**
 * Lines of a long table that are in the page. Browsers cut off heights above some 16 million pixels: longer tables are that high, and a
 * pixel of scrolling is then more than a pixel of rows.
 */

/** Height of a row; as `--row` in answer.css. */
export const ROW_PX = 28;

const MAX_HEIGHT_PX = 12_000_000;

/** Lines that are in the page beyond the screen, on each side: what one sees while the next are drawn. */
const MARGIN_ROWS = 8;

/** The window moves by so many lines at a time, so that most scrolling draws nothing. */
const STEP_ROWS = 4;

export interface RowWindow {
  readonly first: number;
  /** The line after the last. */
  readonly end: number;
  /** Top of the first line. */
  readonly topPx: number;
  readonly heightPx: number;
}

/** The height of all lines. */
export function contentHeight(lines: number): number {
  return Math.min(lines * ROW_PX, MAX_HEIGHT_PX);
}

/** The lines to draw for a place of the scroll bar. */
export function windowAt(lines: number, scrollPx: number, viewportPx: number): RowWindow {
  const heightPx = contentHeight(lines);
  const scroll = Math.max(0, Math.min(scrollPx, heightPx - viewportPx));
  const rows = Math.ceil(viewportPx / ROW_PX);
  const isCut = heightPx < lines * ROW_PX;
  const top = isCut ? topLine(lines, scroll, viewportPx) : Math.floor(scroll / ROW_PX);
  const first = Math.max(0, Math.floor((top - MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS);
  const end = Math.min(lines, Math.ceil((top + rows + MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS);
  const topPx = isCut ? scroll - (top - first) * ROW_PX : first * ROW_PX;
  return { first, end, topPx: Math.max(0, Math.min(topPx, heightPx - (end - first) * ROW_PX)), heightPx };
}

/** As many lines as are ever in the page at once. */
export function slotsFor(viewportPx: number): number {
  return Math.ceil(viewportPx / ROW_PX) + 2 * (MARGIN_ROWS + STEP_ROWS);
}

/** Scroll position that brings a line onto the screen; the present one if it is there already. */
export function scrollTo(line: number, lines: number, scrollPx: number, viewportPx: number): number {
  const heightPx = contentHeight(lines);
  if (heightPx < lines * ROW_PX) {
    const top = topLine(lines, scrollPx, viewportPx);
    const fits = Math.max(1, Math.floor(viewportPx / ROW_PX));
    const wanted = line < top ? line : line >= top + fits ? line - fits + 1 : top;
    return wanted === top ? scrollPx : (wanted / Math.max(1, lines - fits)) * (heightPx - viewportPx);
  }
  const topPx = line * ROW_PX;
  if (topPx < scrollPx) {
    return topPx;
  }
  return topPx + ROW_PX > scrollPx + viewportPx ? topPx + ROW_PX - viewportPx : scrollPx;
}

function topLine(lines: number, scrollPx: number, viewportPx: number): number {
  const fits = Math.max(1, Math.floor(viewportPx / ROW_PX));
  const part = scrollPx / Math.max(1, contentHeight(lines) - viewportPx);
  return Math.round(Math.min(1, Math.max(0, part)) * Math.max(0, lines - fits));
}
