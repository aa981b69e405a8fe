/** Step breakdown of a pod: a stacked bar for each core by its global chip id, or for each host where cores are many. Pure. */

import type { ToolColumn, ToolSeries, ToolTable } from "@tilescope/client";
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
  const byHost = new Map<string, number[]>();
  names.values.forEach((_, row) => {
    const host = String(column("host")?.values[row] ?? "");
    byHost.set(host, [...(byHost.get(host) ?? []), row]);
  });
  const isByHost = names.values.length > MOST_BARS && byHost.size > 1;
  const rows = isByHost ? [...byHost.values()] : names.values.map((_, row) => [row]);
  const hosts = [...byHost.keys()];
  const x: ToolColumn = isByHost
    ? { ...names, id: "host", title: "Host", values: hosts }
    : { ...names, id: "chip", title: "Global chip id", values: names.values.map((_, row) => chipText(cores, row)) };
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
      labels: isByHost ? null : names,
    },
  };
}

/** `8`; of a core of several on a chip `8.1`; its number in the table where the trace tells no chip. */
function chipText(cores: ToolTable, row: number): string {
  const columnValues = (id: string) => cores.columns.find((column) => column.id === id)?.values ?? [];
  const chips = columnValues("chip");
  const chip = chips[row] ?? null;
  if (chip === null) {
    return String(row);
  }
  const isShared = chips.filter((other) => other === chip).length > 1;
  return isShared ? `${chip}.${columnValues("core_number")[row] ?? row}` : String(chip);
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
