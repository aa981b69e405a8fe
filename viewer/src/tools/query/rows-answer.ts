/** Rows of a statement as an answer of a tool: kinds of columns, ways into the timeline, and a chart of two columns. */

import type { FigureKind, SqlRows, ToolAnswer, ToolColumn, ToolSeries } from "@tilescope/client";

const WHOLE = /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/;
const REAL = /^(FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const LINK = /sel=(\d+\.\d+)$/;

/** Columns of the tables of runs that are times, tracks and the like, by their names. */
const KINDS: Readonly<Record<string, FigureKind>> = {
  track: "track",
  start: "time",
  end: "time",
  duration: "ticks",
  busy: "ticks",
  first: "time",
  last: "time",
  from_time: "time",
  to_time: "time",
  from_track: "track",
  to_track: "track",
};

/** Kinds whose values are numbers, and no decimal text. */
const AS_NUMBERS: ReadonlySet<FigureKind> = new Set(["track", "number"]);

/** The answer: one table, and a series where two columns are chosen and both are there. */
export function rowsAnswer(rows: SqlRows, x: string, y: string): ToolAnswer {
  const columns = withEvents(uniqueColumns(rows));
  const series = chartOf(columns, x, y);
  return {
    complete: true,
    missing: undefined,
    headline: null,
    facts: [],
    tables: [
      {
        ...{ id: "rows", title: "Rows", parent: null, nested: undefined, opens: undefined, columns },
        ...{ totals: null, rest: null, more: null },
      },
    ],
    series: series === null ? [] : [series],
    notes: [],
  };
}

/** Columns whose values may be heights of a chart. */
export function measuredColumns(rows: SqlRows): readonly string[] {
  return uniqueColumns(rows)
    .filter(({ kind }) => kind !== "text" && kind !== "flag" && kind !== "event" && kind !== "track")
    .map(({ id }) => id);
}

/** All columns of a statement once: of columns of one name the last counts, as in the client's tables. */
function uniqueColumns({ columns, rows }: SqlRows): readonly ToolColumn[] {
  const byName = new Map(columns.map(({ name, type }, index) => [name, { type, index }]));
  return [...byName].map(([name, { type, index }]) => {
    const cells = rows.map((row) => row[index] ?? null);
    const kind = kindOf(name, type, cells);
    return { id: name, title: name, kind, unit: "", total: "none", values: cells.map((cell) => cellValue(kind, cell)) };
  });
}

function kindOf(name: string, type: string, cells: readonly (string | number | boolean | null)[]): FigureKind {
  if (WHOLE.test(type)) {
    return KINDS[name] ?? "count";
  }
  if (REAL.test(type)) {
    return "number";
  }
  if (type === "BOOLEAN") {
    return "flag";
  }
  const texts = cells.filter((cell) => cell !== null);
  return texts.length > 0 && texts.every((cell) => LINK.test(String(cell))) ? "event" : "text";
}

function cellValue(kind: FigureKind, cell: string | number | boolean | null): string | number | boolean | null {
  if (cell === null || kind === "flag") {
    return cell;
  }
  if (AS_NUMBERS.has(kind)) {
    return Number(cell);
  }
  return kind === "event" ? (LINK.exec(String(cell))?.[1] ?? null) : String(cell);
}

/** The columns, with one that leads to slices where `track` and `ordinal` name them. */
function withEvents(columns: readonly ToolColumn[]): readonly ToolColumn[] {
  const track = columns.find(({ id, kind }) => id === "track" && kind === "track");
  const ordinal = columns.find(({ id, kind }) => id === "ordinal" && kind === "count");
  if (track === undefined || ordinal === undefined || columns.some(({ kind }) => kind === "event")) {
    return columns;
  }
  const values = ordinal.values.map((value, row) => {
    const number = track.values[row] ?? null;
    return value === null || number === null ? null : `${number}.${value}`;
  });
  return columns.map((column) => (column === ordinal ? { ...column, title: "slice", kind: "event", values } : column));
}

function chartOf(columns: readonly ToolColumn[], x: string, y: string): ToolSeries | null {
  const across = columns.find(({ id }) => id === x);
  const up = columns.find(({ id }) => id === y);
  if (across === undefined || up === undefined) {
    return null;
  }
  const isNamed = across.kind === "text" || across.kind === "flag" || across.kind === "track";
  return {
    ...{ id: "chart", title: `${up.title} by ${across.title}`, kind: isNamed ? "bars" : "points", scale: "linear" },
    ...{ x: isNamed ? { ...across, kind: "text", values: across.values.map(String) } : across },
    ...{ ys: [up], lines: [], labels: null },
  };
}
