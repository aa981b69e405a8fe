/** Rows that are shown, in their order. Pure. */

import type { ToolAnswer } from "@tilescope/client";
import type { HeatMapFields } from "./fields";
import type { MapRow } from "./layer";

/** Places of rows in their order; those without a figure come last. `figures`: of another tool, by row. */
export function orderOf(
  rows: readonly MapRow[],
  { sort, filter }: Pick<HeatMapFields, "sort" | "filter">,
  figures: ReadonlyMap<number, number> | null,
): readonly number[] {
  const text = filter.trim().toLowerCase();
  const shown = rows.flatMap((row, place) =>
    `${row.name} ${row.host} ${row.process}`.toLowerCase().includes(text) ? [place] : [],
  );
  const figure = (place: number): number => {
    const row = rows[place]!;
    switch (sort) {
      case "late":
        return Number(row.lateTicks);
      case "busy":
        return row.share;
      case "idle":
        return -row.share;
      default:
        return figures?.get(place) ?? Number.NEGATIVE_INFINITY;
    }
  };
  if (sort === "" || (sort.includes(".") && figures === null)) {
    return shown;
  }
  return shown.toSorted((a, b) => {
    const [first, second] = [figure(a), figure(b)];
    return first === second ? a - b : second > first ? 1 : -1;
  });
}

/** The greatest figure of a table's rows by the row of the map that their track is in. */
export function figuresByRow(
  answer: ToolAnswer,
  table: string,
  column: string,
  rowOfTrack: (track: number) => number | undefined,
): ReadonlyMap<number, number> {
  const columns = answer.tables.find(({ id }) => id === table)?.columns ?? [];
  const values = columns.find(({ id }) => id === column)?.values ?? [];
  const tracks = columns.find(({ id }) => id === "track")?.values ?? [];
  const figures = new Map<number, number>();
  values.forEach((value, k) => {
    const track = tracks[k];
    const row = typeof track === "number" ? rowOfTrack(track) : undefined;
    if (row !== undefined && value !== null) {
      figures.set(row, Math.max(figures.get(row) ?? Number.NEGATIVE_INFINITY, Number(value)));
    }
  });
  return figures;
}
