/** An answer of the tool as rows of cells over a span. Pure. */

import { type Ticks, type ToolAnswer, ticks } from "@tilescope/client";

export interface MapRow {
  readonly name: string;
  readonly host: string;
  readonly process: string;
  /** Tracks as questions name them; null: too many for one. */
  readonly tracks: string | null;
  /** A track to lead to. */
  readonly track: number;
  readonly lanes: number;
  readonly busyTicks: bigint;
  readonly share: number;
  readonly lateTicks: bigint;
  /** Row of the grid of chips; null where there is none, or none was asked for. */
  readonly gridRow: number | null;
}

export interface Layer {
  readonly level: "host" | "process" | "track";
  readonly rows: readonly MapRow[];
  readonly startTicks: Ticks;
  readonly columnTicks: Ticks;
  readonly columns: number;
  /** Hundredths, row by row. */
  readonly busy: Uint8Array;
  readonly late: Uint8Array;
  /** Hosts, processes or tracks that a row has at most. */
  readonly together: number;
}

/** Null: the answer has no rows. */
export function layerOf({ facts, tables, series }: ToolAnswer): Layer | null {
  const table = tables.find(({ id }) => id === "rows");
  const busy = series.find(({ id }) => id === "busy");
  if (table === undefined || busy === undefined) {
    return null;
  }
  const fact = (id: string) => facts.find((each) => each.id === id)?.value ?? 0;
  const column = (id: string) => table.columns.find((each) => each.id === id)?.values ?? [];
  const [names, hosts, processes, tracks] = ["name", "host", "process", "tracks"].map(column);
  const [track, lanes, busyTicks, share, lateTicks] = ["track", "lanes", "busy", "share", "late"].map(column);
  const gridRows = column("y");
  const columns = busy.x.values.length;
  const cells = (id: string): Uint8Array => {
    const shares = new Uint8Array(names!.length * columns);
    series
      .find((each) => each.id === id)
      ?.ys.forEach(({ values }, row) => {
        values.forEach((value, k) => {
          shares[row * columns + k] = Math.round(100 * Number(value));
        });
      });
    return shares;
  };
  return {
    level: String(fact("level")) as Layer["level"],
    rows: names!.map((name, row) => ({
      name: String(name),
      host: String(hosts![row] ?? ""),
      process: String(processes![row] ?? ""),
      tracks: typeof tracks![row] === "string" ? tracks![row] : null,
      track: Number(track![row]),
      lanes: Number(lanes![row]),
      busyTicks: BigInt(String(busyTicks![row])),
      share: Number(share![row]),
      lateTicks: BigInt(String(lateTicks![row])),
      gridRow: typeof gridRows[row] === "number" ? gridRows[row] : null,
    })),
    startTicks: ticks(BigInt(String(busy.x.values[0]))),
    columnTicks: ticks(BigInt(String(fact("column_ticks")))),
    columns,
    busy: cells("busy"),
    late: cells("late"),
    together: Number(fact("together")),
  };
}

/** Text of each row by which an address names it: its name, with a number behind it for those after the first of a name. */
export function rowTexts(rows: readonly MapRow[]): readonly string[] {
  const counts = new Map<string, number>();
  return rows.map(({ name }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} #${count}`;
  });
}

/** The row of each track by which questions name it. */
export function rowsByTrack(rows: readonly MapRow[]): ReadonlyMap<number, number> {
  const rowOfTrack = new Map<number, number>();
  rows.forEach(({ tracks }, row) => {
    for (const range of (tracks ?? "").split(",").filter((text) => text !== "")) {
      const [first = 0, last = first] = range.split("-").map(Number);
      for (let track = first; track <= last; track++) {
        rowOfTrack.set(track, row);
      }
    }
  });
  return rowOfTrack;
}

/** Rows of a finer layer by the row that they are parts of, in their order. */
export function partsByRow(
  fine: readonly MapRow[],
  rowOfTrack: (track: number) => number | undefined,
): ReadonlyMap<number, readonly number[]> {
  const parts = new Map<number, number[]>();
  fine.forEach(({ track }, part) => {
    const row = rowOfTrack(track);
    if (row !== undefined) {
      const others = parts.get(row);
      others === undefined ? parts.set(row, [part]) : others.push(part);
    }
  });
  return parts;
}
