/** Kinds of a critical path with their shares, and where it lies. Pure. */

import { type TickRange, type ToolAnswer, ticks } from "@tilescope/client";

export interface PathPart {
  readonly title: string;
  /** The kind as questions write it. */
  readonly kind: string;
  readonly time: bigint;
  /** Part of the path, 0 to 1. */
  readonly share: number;
  readonly pieces: bigint;
}

/** In the order of the table; none where there is no path. */
export function pathParts({ tables }: ToolAnswer): readonly PathPart[] {
  const kinds = tables.find(({ id }) => id === "kinds");
  const values = (id: string) => kinds?.columns.find((column) => column.id === id)?.values ?? [];
  const [titles, words, times, shares, pieces] = ["kind", "word", "time", "share", "pieces"].map(values);
  return titles!.map((title, row) => ({
    title: String(title),
    kind: String(words![row]),
    time: BigInt(times![row] as string),
    share: Number(shares![row] ?? 0),
    pieces: BigInt(pieces![row] as string),
  }));
}

/** The span that a path covers; null: there is none. */
export function pathSpan({ facts }: ToolAnswer): TickRange | null {
  const value = (id: string) => BigInt((facts.find((fact) => fact.id === id)?.value as string | undefined) ?? 0);
  const [start, length] = [value("start"), value("span")];
  return length > 0n ? { startTicks: ticks(start), endTicks: ticks(start + length) } : null;
}

/** Kinds in the order in which the chart of a path draws them: looks of kinds are those of the chart. */
export function chartKinds({ series }: ToolAnswer): readonly string[] {
  return series.find(({ id }) => id === "kinds")?.ys.map(({ id }) => id) ?? [];
}
