/**
 * Narrower questions: a row whose first column, or a point whose x, has the id of a field of the page's question leads to the answer about
 * this value alone. Pure.
 */

import type { ToolColumn } from "@tilescope/client";

export interface Narrower {
  /** Text of each field that a row may set; empty: not asked. */
  readonly texts: ReadonlyMap<string, string>;
  /** Asks about one value of a field alone. Back returns to what was asked before. */
  ask(field: string, text: string): void;
}

/** True if values of a column are those of a field. */
export function isField(narrower: Narrower | null, column: ToolColumn | undefined): boolean {
  return column !== undefined && narrower?.texts.has(column.id) === true;
}

/** The text that asks about the value of a row alone; null: nothing does, or it is what is asked. */
export function narrowText(narrower: Narrower | null, column: ToolColumn | undefined, row: number): string | null {
  const value = column?.values[row] ?? null;
  if (!isField(narrower, column) || value === null || value === "" || typeof value === "boolean") {
    return null;
  }
  const text = String(value);
  // Fields may be lists of names, in which such a text would be several.
  return /[",]/.test(text) || text === narrower!.texts.get(column!.id) ? null : text;
}
