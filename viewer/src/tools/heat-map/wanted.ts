/** Questions whose answers a view needs beside that of the whole map. Pure. */

import { type TickRange, type ToolQuestion, ticks } from "@tilescope/client";
import { MOST_RANGES_TEXT } from "../../state/ranges-text";
import type { Layer } from "./layer";
import type { RowView } from "./row-view";

/** A column of fewer pixels is fine enough. */
const WIDE_COLUMN_PX = 6;
/** Rows of so many pixels are divided. */
const HIGH_ROW_PX = 36;
const COLUMNS = "1024";
const DETAIL_ROWS = "512";

/** A span around one: begins at a multiple of half its size, a power of two, and has at most four times its ticks. */
export function roundSpan({ startTicks, endTicks }: TickRange): TickRange {
  let size = 2n;
  while (size < endTicks - startTicks) {
    size *= 2n;
  }
  const start = ((startTicks < 0n ? 0n : startTicks) / (size / 2n)) * (size / 2n);
  return { startTicks: ticks(start), endTicks: ticks(start + size + size / 2n) };
}

/** The whole map over the time in view; null where its columns are fine enough. */
export function spanQuestion(base: Layer, span: TickRange, widthPx: number): ToolQuestion | null {
  const ticksPerPx = Number(span.endTicks - span.startTicks) / Math.max(1, widthPx);
  if (Number(base.columnTicks) / ticksPerPx < WIDE_COLUMN_PX || base.columnTicks <= 1n) {
    return null;
  }
  return { level: base.level, rows: "2048", columns: COLUMNS, ...spanTexts(span) };
}

/** The parts of the rows in view; null where rows are low, or have no parts. */
export function partsQuestion(
  base: Layer,
  order: readonly number[],
  rows: RowView,
  span: TickRange,
  heightPx: number,
  processesOf: (row: number) => number,
): ToolQuestion | null {
  const rowPx = heightPx / Math.max(1e-6, rows.to - rows.from);
  if (base.level === "track" && base.together === 1) {
    return null;
  }
  if (rowPx < HIGH_ROW_PX) {
    return null;
  }
  const shown = order.slice(Math.max(0, Math.floor(rows.from)), Math.ceil(rows.to));
  const texts = shown.map((row) => base.rows[row]!.tracks);
  const tracks = texts.filter((text) => text !== null).join(",");
  if (tracks === "" || tracks.length > MOST_RANGES_TEXT || texts.includes(null)) {
    return null;
  }
  const most = Math.max(1, ...shown.map(processesOf));
  const level = base.level !== "host" || rowPx / most >= HIGH_ROW_PX ? "track" : "process";
  return { level, tracks, rows: DETAIL_ROWS, columns: COLUMNS, ...spanTexts(span) };
}

function spanTexts(span: TickRange): { readonly start: string; readonly end: string } {
  const { startTicks, endTicks } = roundSpan(span);
  return { start: String(startTicks), end: String(endTicks) };
}
