/** Buffers that are drawn as lines, with position and thickness: thickness by size, in the order of the program. Pure. */

import type { ToolTable } from "@tilescope/client";

/** More lines are no longer told apart; the table has all buffers. */
export const MOST_LINES = 48;
export const THICKEST_PX = 16;
export const THINNEST_PX = 3;

export interface Lifeline {
  /** The row of the table. */
  readonly row: number;
  readonly name: string;
  readonly purpose: string;
  readonly first: number;
  readonly last: number;
  /** Shares of the program's length. */
  readonly left: number;
  readonly width: number;
  readonly thicknessPx: number;
}

/** The largest buffers of a table, those made first at the top; `points` is the length of the program. */
export function lifelines(table: ToolTable, points: number): readonly Lifeline[] {
  const values = (id: string) => table.columns.find((column) => column.id === id)?.values ?? [];
  const [names, sizes, purposes, firsts, lasts] = ["name", "size", "purpose", "first", "last"].map(values);
  const rows = sizes!.map((size, row) => ({ row, size: Number(size) })).filter(({ size }) => size > 0);
  const largest = rows.sort((a, b) => b.size - a.size || a.row - b.row).slice(0, MOST_LINES);
  const most = largest[0]?.size ?? 1;
  const length = Math.max(1, points);
  return largest
    .map(({ row, size }) => {
      const first = Number(firsts![row]);
      const last = Math.max(first, Number(lasts![row]));
      // A point is as wide as the way to its neighbours.
      const begin = Math.max(0, first - 0.5);
      return {
        row,
        name: String(names![row]),
        purpose: String(purposes![row] ?? ""),
        first,
        last,
        left: begin / length,
        width: (Math.min(length, last + 0.5) - begin) / length,
        thicknessPx: Math.max(THINNEST_PX, Math.round((THICKEST_PX * size) / most)),
      };
    })
    .sort((a, b) => a.first - b.first || b.last - a.last || a.row - b.row);
}
