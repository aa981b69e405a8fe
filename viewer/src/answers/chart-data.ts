/** A series as a chart needs it: rows in the order of x, x as doubles, ys by what they are measured in, stacked or not. */

import type { ToolSeries } from "@tilescope/client";
import { type Names, ShownColumn } from "./columns";
import { approximate, isNumeric } from "./figures";
import { sortRows } from "./sorting";

/** What x is: points in time, numbers, or names in the order of the answer. */
export type XKind = "time" | "number" | "names";

/** What several ys have in common: one axis. */
export interface Measure {
  readonly id: string;
  readonly columns: readonly ShownColumn[];
}

/** Columns for uPlot: null where nothing was recorded. */
export type Plotted = readonly (readonly (number | null)[])[];

/** A place of the chart that somebody points at. */
export interface ChartPoint {
  readonly place: number;
  /** Of a heat map. */
  readonly row: number | null;
  readonly leftPx: number;
  /** Of the whole chart. */
  readonly widthPx: number;
}

export class ChartData {
  readonly series: ToolSeries;
  readonly xKind: XKind;
  readonly x: ShownColumn;
  readonly ys: readonly ShownColumn[];
  readonly measures: readonly Measure[];
  /** The row of the answer at each place of the chart. */
  readonly rows: Uint32Array;
  /** What `xs` count from: times need not fit in doubles, their distances do. */
  readonly zero: bigint;
  readonly xs: readonly number[];

  constructor(series: ToolSeries, names: Names) {
    this.series = series;
    this.x = new ShownColumn(series.x, names);
    this.ys = series.ys.filter((column) => isNumeric(column.kind)).map((column) => new ShownColumn(column, names));
    const kind = series.x.kind;
    this.xKind = kind === "time" ? "time" : isNumeric(kind) ? "number" : "names";
    const ranks = this.x.ranks;
    const there = series.x.values.flatMap((value, row) => (value === null ? [] : [row]));
    this.rows = this.xKind === "names" ? Uint32Array.from(there) : sortRows(there, ranks, false);
    const first = series.x.values[this.rows[0] ?? 0] ?? null;
    this.zero = this.xKind === "time" && first !== null ? BigInt(String(first)) : 0n;
    this.xs = Array.from(this.rows, (row, place) => this.#xAt(row, place));
    this.measures = measuresOf(this.ys);
  }

  get isEmpty(): boolean {
    return this.rows.length === 0 || this.ys.length === 0;
  }

  get isStacked(): boolean {
    return this.series.kind === "area";
  }

  /** x and all ys; hidden ones are null throughout. Of areas each stands on those after it that are shown. */
  plotted(isShown: (y: number) => boolean): Plotted {
    const values = this.ys.map((column, y) =>
      Array.from(this.rows, (row) => {
        const value = column.approximate[row]!;
        return isShown(y) && !Number.isNaN(value) ? value : null;
      }),
    );
    return [this.xs, ...(this.isStacked ? stacked(values) : values)];
  }

  /** The least distance of neighbours in x: how wide bars may be. */
  get gap(): number {
    let gap = Number.POSITIVE_INFINITY;
    for (let k = 1; k < this.xs.length; k++) {
      const distance = this.xs[k]! - this.xs[k - 1]!;
      gap = distance > 0 ? Math.min(gap, distance) : gap;
    }
    return Number.isFinite(gap) ? gap : 1;
  }

  xText(place: number): string {
    return this.x.exact(this.x.value(this.rows[place]!)).split(" · ")[0]!;
  }

  /** The exact value, with its unit. */
  yText(y: number, place: number): string {
    const column = this.ys[y]!;
    const value = column.value(this.rows[place]!);
    return value === null ? "–" : column.exact(value).split(" · ")[0]!;
  }

  #xAt(row: number, place: number): number {
    switch (this.xKind) {
      case "time":
        return Number(BigInt(String(this.x.value(row))) - this.zero);
      case "number":
        return approximate(this.series.x.kind, this.x.value(row));
      case "names":
        return place;
    }
  }
}

/** The last at the bottom, each on what is below it. */
function stacked(values: readonly (readonly (number | null)[])[]): (number | null)[][] {
  const sums: number[] = (values[0] ?? []).map(() => 0);
  return values
    .toReversed()
    .map((column) =>
      column.map((value, place) => {
        if (value === null) {
          return null;
        }
        sums[place]! += value;
        return sums[place]!;
      }),
    )
    .toReversed();
}

function measuresOf(ys: readonly ShownColumn[]): readonly Measure[] {
  const found = new Map<string, ShownColumn[]>();
  for (const y of ys) {
    const name = `${y.column.kind} ${y.column.unit}`;
    const same = found.get(name);
    if (same === undefined) {
      found.set(name, [y]);
    } else {
      same.push(y);
    }
  }
  return [...found.values()].map((columns, k) => ({ id: `y${k}`, columns }));
}
