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

/**
 * The rank for which the others wait, by the waits of ranks in all that was asked for: it waits less than half as long as any other.
 * Null: there is none.
 */
export function stragglerOf(ranks: ToolTable): string | null {
  const values = (id: string) => ranks.columns.find((column) => column.id === id)?.values ?? [];
  const names = shortRanks(values("rank"));
  const order = values("wait")
    .map((wait, row) => ({ wait: BigInt(String(wait ?? 0)), name: names[row]! }))
    .sort((a, b) => (a.wait < b.wait ? -1 : Number(a.wait > b.wait)));
  const [least, next] = order;
  return least !== undefined && next !== undefined && 2n * least.wait < next.wait ? least.name : null;
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
