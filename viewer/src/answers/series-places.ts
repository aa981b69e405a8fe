/**
 * Destinations of the points of a series: by columns of the series itself, as for rows of a table; or else by the rows of a table of the
 * same answer that are about the same steps, or names. Pure.
 */

import type { ToolColumn, ToolSeries, ToolTable } from "@tilescope/client";
import type { RowOfTable } from "./links";
import { type Place, Places } from "./timeline-places";

export class SeriesPlaces {
  readonly #own: Places;
  readonly #tables: readonly { readonly table: ToolTable; readonly places: Places; readonly rows: readonly number[] }[];

  constructor(series: ToolSeries, tables: readonly ToolTable[]) {
    this.#own = new Places([series.x, ...series.ys, ...(series.labels === null ? [] : [series.labels])]);
    const key = series.labels ?? series.x;
    this.#tables = tables.flatMap((table) => {
      const column = table.columns.find(({ id, kind }) => id === key.id && kind === key.kind);
      return column === undefined ? [] : [{ table, places: new Places(table.columns), rows: matches(key, column) }];
    });
  }

  /** Destination of a row of the series; null where it is not told. */
  placeOf(row: number): Place | null {
    const own = this.#own.placeOf(row);
    if (own !== null) {
      return own;
    }
    for (const { places, rows } of this.#tables) {
      const place = rows[row]! < 0 ? null : places.placeOf(rows[row]!);
      if (place !== null) {
        return place;
      }
    }
    return null;
  }

  /** The row of a table that is about the same; null: there is none. */
  rowOf(row: number): RowOfTable | null {
    const source = this.#tables.find(({ rows }) => rows[row]! >= 0);
    return source === undefined ? null : { table: source.table.id, row: source.rows[row]! };
  }
}

/** For each value of `key` the first row of the column that has it; -1: none. */
function matches(key: ToolColumn, column: ToolColumn): readonly number[] {
  const first = new Map<unknown, number>();
  column.values.forEach((value, row) => {
    if (value !== null && !first.has(value)) {
      first.set(value, row);
    }
  });
  return key.values.map((value) => first.get(value) ?? -1);
}
