/** Step breakdown of a pod: a stacked bar for each core by its global chip id, or for each host where cores are many. Pure. */

import type { ToolColumn, ToolSeries, ToolTable } from "@tilescope/client";
import type { Figure } from "../../answers/figures";
import { partGroups } from "./parts";

/** So many bars can be told apart on a screen. */
export const MOST_BARS = 128;

/** The chart, and of each bar the cores in it, as rows of the table. */
export interface Breakdown {
  readonly series: ToolSeries;
  readonly rows: readonly (readonly number[])[];
}

/** Null: nothing tells what steps are made of. */
export function breakdownOf(cores: ToolTable): Breakdown | null {
  const groups = partGroups(cores);
  const parts = (groups.find(({ title }) => title === "Categories of TPUs") ?? groups[0])?.parts ?? [];
  const column = (id: string) => cores.columns.find((candidate) => candidate.id === id);
  const taken = parts.flatMap(({ id }) => {
    const part = column(id);
    return part?.values.some((value) => Number(value ?? 0) > 0) ? [part] : [];
  });
  const names = column("core");
  if (names === undefined || taken.length === 0) {
    return null;
  }
  const byHost = rowsByText(names.values.map((_, row) => String(column("host")?.values[row] ?? "")));
  const isByHost = names.values.length > MOST_BARS && byHost.size > 1;
  const rows = isByHost ? [...byHost.values()] : names.values.map((_, row) => [row]);
  const ids = chipTexts(column("chip")?.values ?? [], column("core_number")?.values ?? []);
  const x: ToolColumn = isByHost
    ? { ...names, id: "host", title: "Host", values: [...byHost.keys()] }
    : ids === null
      ? names
      : { ...names, id: "chip", title: "Global chip id", values: ids };
  return {
    rows,
    series: {
      id: "breakdown",
      title: isByHost ? "Step breakdown, mean of each host's cores" : "Step breakdown of each core",
      kind: "area",
      scale: "linear",
      x,
      ys: taken.map((part) => ({ ...part, values: rows.map((members) => meanOf(part, members)) })),
      lines: [],
      labels: x.id === "chip" ? names : null,
    },
  };
}

function rowsByText(texts: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const rows = new Map(texts.map((text) => [text, [] as number[]]));
  texts.forEach((text, row) => {
    rows.get(text)!.push(row);
  });
  return rows;
}

/** `8`; of the cores of a chip that has several `8.1`. Null: some have none, or not one of their own, and their names tell them apart. */
function chipTexts(chips: ToolColumn["values"], cores: ToolColumn["values"]): readonly string[] | null {
  const counts = new Map<Figure, number>();
  for (const chip of chips) {
    counts.set(chip, (counts.get(chip) ?? 0) + 1);
  }
  const texts = chips.map((chip, row) => (counts.get(chip) === 1 ? String(chip) : `${chip}.${cores[row] ?? row}`));
  return texts.length === 0 || counts.has(null) || new Set(texts).size < texts.length ? null : texts;
}

/** Nearest whole tick; null where no core has it. */
function meanOf(part: ToolColumn, rows: readonly number[]): string | null {
  const values = rows.flatMap((row) => {
    const value = part.values[row] ?? null;
    return value === null ? [] : [BigInt(String(value))];
  });
  const count = BigInt(values.length);
  const sum = values.reduce((total, value) => total + value, 0n);
  return count === 0n ? null : String((2n * sum + count) / (2n * count));
}
