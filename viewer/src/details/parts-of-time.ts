/** The parts that the time of devices is made of: together they are all of it. Pure. */

import type { ToolFact } from "@tilescope/client";
import type { Meaning } from "../raster/meaning";

export interface PartOfTime {
  readonly id: string;
  readonly label: string;
  readonly ticks: bigint;
  readonly share: number;
  /** The kind of work whose colour it has; null: nothing runs. */
  readonly kind: Meaning | null;
}

const PARTS: readonly (readonly [id: string, label: string, kind: Meaning | null])[] = [
  ["computation", "Computation", "compute"],
  ["exposed_communication", "Communication, not hidden", "collective"],
  ["exposed_copies", "Copies, not hidden", "copy"],
  ["idle", "Idle", null],
];

/** Parts that have a time; `other` runs and is none of them. None where the span is not known. */
export function partsOfTime(facts: readonly ToolFact[]): readonly PartOfTime[] {
  const ticksOf = (id: string): bigint => BigInt(String(facts.find((fact) => fact.id === id)?.value ?? 0));
  const span = ticksOf("span");
  if (span === 0n) {
    return [];
  }
  const parts = PARTS.map(([id, label, kind]) => ({ id, label, kind, ticks: ticksOf(id) }));
  const other = span - parts.reduce((sum, { ticks }) => sum + ticks, 0n);
  return [...parts, { id: "other", label: "Other work", kind: "other" as const, ticks: other }]
    .filter(({ ticks }) => ticks > 0n)
    .map((part) => ({ ...part, share: Number(part.ticks) / Number(span) }));
}
