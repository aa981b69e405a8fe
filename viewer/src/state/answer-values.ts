/** Values of an answer by their names. Pure. */

import type { ToolAnswer } from "@tilescope/client";

/** True for an answer that will have more when the run is indexed: of hosts that are missing a note says so. */
export function isGrowing({ complete, missing }: ToolAnswer): boolean {
  return !complete && (missing ?? []).length === 0;
}

type Value = string | number | boolean | null;

/** A column of a table; empty where there is none. */
export function valuesOf(answer: ToolAnswer, table: string, column: string): readonly Value[] {
  const match = answer.tables.find(({ id }) => id === table);
  return match?.columns.find(({ id }) => id === column)?.values ?? [];
}

/** A fact as a whole number; 0 where it is not told. */
export function factOf(answer: ToolAnswer, id: string): bigint {
  return wholeOf(answer.facts.find((fact) => fact.id === id)?.value ?? null);
}

export function wholeOf(value: Value): bigint {
  return typeof value === "number" || typeof value === "string" ? BigInt(value) : 0n;
}
