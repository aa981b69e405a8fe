/** Waits by rank and step as a matrix. Pure. */

import type { ToolTable } from "@tilescope/client";
import type { Cell, LinkMatrix } from "./matrix";

export function waitsMatrix(waits: ToolTable): LinkMatrix {
  const values = (id: string) => waits.columns.find((column) => column.id === id)?.values ?? [];
  const [ranks, steps, times] = [shortRanks(values("rank")), values("step").map(String), values("wait")];
  const rows = ordered(ranks);
  const columns = ordered(steps);
  const rowOf = new Map(rows.map((name, place) => [name, place]));
  const columnOf = new Map(columns.map((name, place) => [name, place]));
  const most = times.reduce<number>((greatest, time) => Math.max(greatest, Number(time)), 0);
  const cells = ranks.map((rank, place): Cell => {
    const time = BigInt(String(times[place] ?? 0));
    return {
      row: rowOf.get(rank)!,
      column: columnOf.get(steps[place]!)!,
      links: [place],
      time,
      size: 0n,
      part: most > 0 ? Number(time) / most : 0,
    };
  });
  return { rows, columns, rowTitle: "Rank", columnTitle: "Step", cells };
}

/** The rank that waits least in all: the others wait for it. Null: several wait as little. */
export function stragglerOf({ rows, cells }: LinkMatrix): string | null {
  const waits = rows.map(() => 0n);
  for (const { row, time } of cells) {
    waits[row] = waits[row]! + time;
  }
  const least = waits.reduce((a, b) => (b < a ? b : a), waits[0] ?? 0n);
  const last = waits.filter((wait) => wait === least);
  return last.length === 1 && rows.length > 1 ? rows[waits.indexOf(least)]! : null;
}

/** "rank 5" of "rank 5 · node1 · GPU 1", where no other has that name. */
function shortRanks(names: readonly unknown[]): readonly string[] {
  const whole = names.map(String);
  const short = whole.map((name) => name.split(" · ")[0]!);
  return new Set(short).size === new Set(whole).size ? short : whole;
}

function ordered(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
