/** Rows that are shown, in their order and their groups. Pure. */

import type { ToolColumn, ToolTable } from "@tilescope/client";
import { isNumeric } from "../../answers/figures";
import type { HeatMapFields } from "./fields";
import type { MapRow } from "./layer";

/** Neighbours that have something in common: from this place in the order on. */
export interface Band {
  readonly from: number;
  readonly name: string;
}

export interface RowOrder {
  /** Places of rows in the answer. */
  readonly rows: readonly number[];
  /** Empty where rows are not grouped. */
  readonly bands: readonly Band[];
}

/** Order of rows; those without a figure come last. `figures`: of another tool, by row. */
export function orderOf(
  rows: readonly MapRow[],
  { sort, least, group, filter }: Pick<HeatMapFields, "sort" | "least" | "group" | "filter">,
  figures: ReadonlyMap<number, number> | null,
): RowOrder {
  const text = filter.trim().toLowerCase();
  const shown = rows.flatMap((row, place) =>
    `${row.name} ${row.host} ${row.process}`.toLowerCase().includes(text) ? [place] : [],
  );
  const figure = (place: number): number | null => {
    switch (sort) {
      case "late":
        return Number(rows[place]!.lateTicks);
      case "busy":
        return rows[place]!.share;
      default:
        return figures?.get(place) ?? null;
    }
  };
  const isSorted = sort === "late" || sort === "busy" || (sort !== "chips" && figures !== null);
  const sorted = isSorted
    ? shown.toSorted((a, b) => {
        const [first, second] = [figure(a), figure(b)];
        if (first === null || second === null || first === second) {
          return Number(first === null) - Number(second === null) || a - b;
        }
        return first < second === least ? -1 : 1;
      })
    : least
      ? shown.toReversed()
      : shown;
  return group === "" ? { rows: sorted, bands: [] } : grouped(sorted, (place) => groupName(rows[place]!, group));
}

/** The same rows, those of a group side by side: groups in the order of their first rows. */
function grouped(sorted: readonly number[], nameOf: (place: number) => string): RowOrder {
  const groups = new Map<string, number[]>();
  for (const place of sorted) {
    const name = nameOf(place);
    const own = groups.get(name);
    own === undefined ? groups.set(name, [place]) : own.push(place);
  }
  const bands: Band[] = [];
  let from = 0;
  for (const [name, own] of groups) {
    bands.push({ from, name });
    from += own.length;
  }
  return { rows: [...groups.values()].flat(), bands };
}

const NO_GROUP = "others";

/** Name of the group of a row: a host, a name up to its last number, a row of chips. */
function groupName(row: MapRow, group: Exclude<HeatMapFields["group"], "">): string {
  switch (group) {
    case "host":
      return row.host || NO_GROUP;
    case "name":
      return row.name.replace(/[\s_:#-]*\d+\D*$/, "") || NO_GROUP;
    case "grid":
      return row.gridRow === null ? NO_GROUP : `Row ${row.gridRow} of the chips`;
  }
}

const UNSORTED: ReadonlySet<string> = new Set(["id", "time"]);

/** Columns of tables by which rows can be sorted: figures of tables whose rows have a track. */
export function sortColumns(tables: readonly ToolTable[]): readonly ToolColumn[] {
  const columns = tables.flatMap((table) =>
    trackColumn(table.columns) === undefined
      ? []
      : table.columns.filter(({ kind }) => isNumeric(kind) && !UNSORTED.has(kind)),
  );
  return columns.filter(({ id }, k) => columns.findIndex((other) => other.id === id) === k);
}

function trackColumn(columns: readonly ToolColumn[]): ToolColumn | undefined {
  return columns.find(({ kind }) => kind === "track");
}

/** A figure of each row of the map: what the rows of a table have whose tracks are in it, as the table totals it. */
export function figuresByRow(
  tables: readonly ToolTable[],
  column: ToolColumn,
  rowOfTrack: (track: number) => number | undefined,
): ReadonlyMap<number, number> {
  const tracks = trackColumn(tables.find(({ columns }) => columns.includes(column))?.columns ?? [])?.values ?? [];
  const figures = new Map<number, number>();
  column.values.forEach((value, k) => {
    const track = tracks[k];
    const row = typeof track === "number" ? rowOfTrack(track) : undefined;
    if (row !== undefined && value !== null) {
      const before = figures.get(row);
      figures.set(row, before === undefined ? Number(value) : TOTALS[column.total](before, Number(value)));
    }
  });
  return figures;
}

const TOTALS: Readonly<Record<ToolColumn["total"], (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  min: Math.min,
  max: Math.max,
  none: Math.max,
};
