/** What tools answer: docs/api.md, "Tools". Exact integers are decimal text, what is not recorded is null. */

export type ToolValue = string | number | boolean | null;

export interface ToolFact {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly value: ToolValue;
  readonly note: string;
}

export interface ToolColumn {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly unit: string;
  readonly values: readonly ToolValue[];
}

export interface ToolTable {
  readonly id: string;
  readonly title: string;
  /** The column that makes a tree of the rows, if they are one. */
  readonly parent: string | null;
  readonly columns: readonly ToolColumn[];
  readonly totals: Readonly<Record<string, ToolValue>> | null;
  readonly rest: Readonly<Record<string, ToolValue>> | null;
  /** What `after` has to be for the rows that follow. */
  readonly more: string | null;
}

export interface ToolSeries {
  readonly id: string;
  readonly title: string;
  readonly kind: "line" | "area" | "bars" | "heat";
  readonly x: ToolColumn;
  readonly ys: readonly ToolColumn[];
}

export interface ToolNote {
  readonly severity: "info" | "warning" | "error";
  readonly text: string;
  readonly start: string | null;
  readonly end: string | null;
  readonly track: number | null;
}

export interface ToolAnswer {
  /** False while the run is being indexed, and tracks are not done. */
  readonly complete: boolean;
  readonly facts: readonly ToolFact[];
  readonly tables: readonly ToolTable[];
  readonly series: readonly ToolSeries[];
  readonly notes: readonly ToolNote[];
}

/** A tool, and whether it has an answer for this run: `reason` says why not. */
export interface ToolEntry {
  readonly id: string;
  readonly title: string;
  readonly help: string;
  readonly group: string;
  readonly available: boolean;
  readonly reason: string;
}

/** Fields of a question: ticks as bigint, tracks as numbers. What is undefined is left out. */
export type ToolQuestion = Readonly<Record<string, string | number | bigint | readonly number[] | undefined>>;

/** A question as the query of a URL, without its question mark. */
export function questionQuery(question: ToolQuestion): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(question)) {
    if (value !== undefined) {
      query.set(name, Array.isArray(value) ? value.join(",") : String(value));
    }
  }
  return query.toString();
}
