/** Bars of a step: rows of parts, each with its place within the step. Pure. */

import type { ToolTable } from "@tilescope/client";

export interface PartBar {
  readonly name: string;
  readonly start: bigint;
  readonly duration: bigint;
  /** Part of the step; null: not recorded. */
  readonly share: number | null;
  /** Fractions of the picture, which ends where the last part does. */
  readonly left: number;
  readonly width: number;
}

export interface PartRow {
  readonly name: string;
  readonly bars: readonly PartBar[];
}

/** Rows in the order of the table; none where a column is missing. */
export function partRows(parts: ToolTable): readonly PartRow[] {
  const values = (id: string) => parts.columns.find((column) => column.id === id)?.values ?? [];
  const [rows, names, starts, durations, shares] = ["row", "part", "start", "duration", "share"].map(values);
  const bars = rows!.map((_, place) => {
    const start = BigInt(starts![place] as string);
    const share = shares![place] ?? null;
    const duration = BigInt(durations![place] as string);
    return { name: String(names![place]), start, duration, share: share === null ? null : Number(share) };
  });
  const end = bars.reduce((last, { start, duration }) => (start + duration > last ? start + duration : last), 1n);
  const byRow = new Map<string, PartBar[]>();
  bars.forEach((bar, place) => {
    const row = String(rows![place]);
    const left = Number(bar.start) / Number(end);
    byRow.set(row, [...(byRow.get(row) ?? []), { ...bar, left, width: Number(bar.duration) / Number(end) }]);
  });
  return [...byRow].map(([name, members]) => ({ name, bars: members }));
}

/** The step itself and the rows below it whose parts take most time, `most` of them, in their order. */
export function longestRows(rows: readonly PartRow[], most: number): readonly PartRow[] {
  const [step, ...others] = rows;
  const longest = new Set([...others].sort((a, b) => (ticksOf(b) > ticksOf(a) ? 1 : -1)).slice(0, most));
  return step === undefined ? [] : [step, ...others.filter((row) => longest.has(row))];
}

/** Ticks of all parts of a row together. */
export function ticksOf({ bars }: PartRow): bigint {
  return bars.reduce((sum, { duration }) => sum + duration, 0n);
}

/** Share of the step that the parts of a row take together; null: not recorded of one. */
export function shareOf({ bars }: PartRow): number | null {
  return bars.reduce<number | null>((sum, { share }) => (sum === null || share === null ? null : sum + share), 0);
}

/** The longest time between two parts of a row; null: its parts follow each other, or there is only one. */
export function longestGap({ bars }: PartRow): bigint | null {
  let end = bars[0]?.start ?? 0n;
  let longest = 0n;
  for (const { start, duration } of bars) {
    longest = start - end > longest ? start - end : longest;
    end = start + duration > end ? start + duration : end;
  }
  return longest > 0n ? longest : null;
}
