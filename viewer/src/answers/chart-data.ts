/** A series as a chart needs it: rows in the order of x, x as doubles, ys by what they are measured in, stacked or not. */

import type { TimeBase, ToolSeries } from "@tilescope/client";
import { type Names, ShownColumn } from "./columns";
import { approximate, figureText, isInteger, isNumeric } from "./figures";
import { sortRows } from "./sorting";

/** Kind of x: points in time, numbers, or names in the order of the answer. */
export type XKind = "time" | "number" | "names";

/** Axis that several ys share. */
export interface Measure {
  readonly id: string;
  readonly columns: readonly ShownColumn[];
}

/** Columns for uPlot: null where nothing was recorded. */
export type Plotted = readonly (readonly (number | null)[])[];

/** A place of the chart that somebody points at. */
export interface ChartPoint {
  readonly place: number;
  /** Row of a heat map. */
  readonly row: number | null;
  readonly leftPx: number;
  /** Width of the whole chart. */
  readonly widthPx: number;
}

/** Parts of so many steps are columns; of more they are areas. */
const MOST_COLUMNS = 400;

export class ChartData {
  readonly series: ToolSeries;
  readonly xKind: XKind;
  readonly x: ShownColumn;
  readonly ys: readonly ShownColumn[];
  /** Limits over the same x. */
  readonly lines: readonly ShownColumn[];
  readonly labels: ShownColumn | null;
  readonly measures: readonly Measure[];
  /** The row of the answer at each place of the chart. */
  readonly rows: Uint32Array;
  /** Origin of `xs`: times need not fit in doubles, their distances do. */
  readonly zero: bigint;
  readonly xs: readonly number[];
  /** Places at which there is a figure to say, in the order of x: not those of limits alone. */
  readonly stops: readonly number[];
  readonly #time: TimeBase;

  constructor(series: ToolSeries, names: Names) {
    this.series = series;
    this.#time = names.time;
    this.x = new ShownColumn(series.x, names);
    const shown = (columns: ToolSeries["ys"]) =>
      columns.filter((column) => isNumeric(column.kind)).map((column) => new ShownColumn(column, names));
    this.ys = shown(series.ys);
    this.lines = shown(series.lines);
    this.labels = series.labels === null ? null : new ShownColumn(series.labels, names);
    const kind = series.x.kind;
    this.xKind = kind === "time" ? "time" : isNumeric(kind) ? "number" : "names";
    const ranks = this.x.ranks;
    const there = series.x.values.flatMap((value, row) =>
      value === null || (this.isLog && !(approximate(kind, value) > 0)) ? [] : [row],
    );
    this.rows = this.xKind === "names" ? Uint32Array.from(there) : sortRows(there, ranks, false);
    const first = series.x.values[this.rows[0] ?? 0] ?? null;
    this.zero = this.xKind === "time" && first !== null ? BigInt(String(first)) : 0n;
    this.xs = Array.from(this.rows, (row, place) => this.#xAt(row, place));
    this.measures = measuresOf([...this.ys, ...this.lines]);
    this.stops = this.xs.flatMap((_, place) =>
      this.lines.length === 0 || this.ys.some((column) => this.#isThere(column, this.rows[place]!)) ? [place] : [],
    );
  }

  get isEmpty(): boolean {
    return this.rows.length === 0 || this.ys.length === 0 || this.stops.length === 0;
  }

  /** Ids of the ys: their looks go by these. */
  get ids(): readonly string[] {
    return this.ys.map(({ id }) => id);
  }

  get isStacked(): boolean {
    return this.series.kind === "area";
  }

  /** True for a level that is drawn over stacked parts as a line: it is measured in another unit than these. */
  isLevel(y: number): boolean {
    return this.isStacked && !this.measures[0]!.columns.includes(this.ys[y]!);
  }

  get isLog(): boolean {
    return this.series.scale === "log";
  }

  /** Steps and names are one beside the other; only time goes on between two figures. */
  get isColumns(): boolean {
    return this.isStacked && this.xKind !== "time" && this.xs.length <= MOST_COLUMNS;
  }

  /** x, all ys, then limits; hidden ones are null throughout. Of areas each stands on those after it that are shown; levels stand for themselves. */
  plotted(isShown: (y: number) => boolean): Plotted {
    const line = (column: ShownColumn, isSeen: boolean) =>
      Array.from(this.rows, (row) => (isSeen && this.#isThere(column, row) ? column.approximate[row]! : null));
    const values = this.ys.map((column, y) => line(column, isShown(y)));
    const lines = this.lines.map((column) => line(column, true));
    const parts = this.isStacked ? stacked(values.filter((_, y) => !this.isLevel(y))) : [];
    const drawn = this.isStacked ? values.map((level, y) => (this.isLevel(y) ? level : parts.shift()!)) : values;
    return [this.xs, ...drawn, ...lines];
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
    if (!isInteger(this.series.x.kind) && this.xKind === "number") {
      return this.xShort(place);
    }
    return this.x.exact(this.x.value(this.rows[place]!)).split(" · ")[0]!;
  }

  /** As `xText`, with few digits. */
  xShort(place: number): string {
    const { digits, unit } = figureText(this.x.column, this.x.value(this.rows[place]!), this.#time);
    return unit === "" ? digits : `${digits} ${unit}`;
  }

  /** Text of a place: `Step 5`, or its label. */
  placeText(place: number): string {
    const label = this.labels?.value(this.rows[place]!) ?? null;
    if (this.labels !== null && label !== null) {
      return this.labels.text(label);
    }
    return this.x.title === "" ? this.xText(place) : `${this.x.title} ${this.xText(place)}`;
  }

  /** True if a series has a figure at a place. */
  has(y: number, place: number): boolean {
    return this.ys[y]!.value(this.rows[place]!) !== null;
  }

  /** The exact value, with its unit. */
  yText(y: number, place: number): string {
    const column = this.ys[y]!;
    const value = column.value(this.rows[place]!);
    if (value === null || isInteger(column.column.kind)) {
      return value === null ? "–" : column.exact(value).split(" · ")[0]!;
    }
    // Digits beyond these are of the computation, not of what was recorded.
    const { digits, unit } = figureText(column.column, value, this.#time);
    return unit === "" ? digits : `${digits} ${unit}`;
  }

  /** Sum of the parts that are shown; null where there is nothing to add up. */
  totalText(place: number, isShown: (y: number) => boolean): string | null {
    const [first] = this.ys;
    const parts = this.ys.filter((_, y) => isShown(y) && !this.isLevel(y));
    if (!this.isStacked || first === undefined || parts.length < 2) {
      return null;
    }
    const values = parts.map((column) => column.value(this.rows[place]!)).filter((value) => value !== null);
    if (values.length === 0) {
      return null;
    }
    const sum = isInteger(first.column.kind)
      ? values.reduce<bigint>((total, value) => total + BigInt(String(value)), 0n).toString()
      : values.reduce<number>((total, value) => total + Number(value), 0);
    return first.exact(sum).split(" · ")[0]!;
  }

  #isThere(column: ShownColumn, row: number): boolean {
    const value = column.approximate[row]!;
    return this.isLog ? value > 0 : !Number.isNaN(value);
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
  const byUnit = new Map<string, ShownColumn[]>();
  for (const y of ys) {
    const name = `${y.column.kind} ${y.column.unit}`;
    const same = byUnit.get(name);
    if (same === undefined) {
      byUnit.set(name, [y]);
    } else {
      same.push(y);
    }
  }
  return [...byUnit.values()].map((columns, k) => ({ id: `y${k}`, columns }));
}
