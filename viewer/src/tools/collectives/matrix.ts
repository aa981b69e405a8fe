/**
 * A matrix of links: from rank to rank. Where ranks are numbered within their groups, the same ends are several links:
 * then rows are the ranks that recorded them, and columns the ends as they are named. Pure.
 */

import type { ToolTable } from "@tilescope/client";

export type CellFigure = "bandwidth" | "time" | "size";
export const FIGURES: readonly CellFigure[] = ["bandwidth", "time", "size"];

export interface Cell {
  readonly row: number;
  readonly column: number;
  /** Rows of the table that it sums up: links with several tasks have several. */
  readonly links: readonly number[];
  readonly time: bigint;
  readonly size: bigint;
  /** Null: compared with none, as a copy within a rank, or a bandwidth where nothing took time. */
  readonly part: number | null;
}

export interface LinkMatrix {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly rowTitle: string;
  readonly columnTitle: string;
  readonly cells: readonly Cell[];
}

interface LinkEnds {
  readonly place: number;
  readonly rank: string | null;
  readonly source: string;
  readonly destination: string;
  readonly transport: string;
  readonly time: bigint;
  readonly size: bigint;
}

/** Transports of the links that have both ends, those that take most time first. */
export function transportsOf(links: ToolTable): readonly string[] {
  const times = new Map<string, bigint>();
  for (const { transport, source, destination, time } of linksOf(links)) {
    times.set(transport, (times.get(transport) ?? 0n) + (source === destination ? 0n : time));
  }
  return [...times].sort((a, b) => (a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : 0)).map(([transport]) => transport);
}

export function linkMatrix(links: ToolTable, transport: string, figure: CellFigure): LinkMatrix {
  const every = linksOf(links);
  const isLocal = every.some(
    ({ rank, source, destination }) => rank !== null && rank !== source && rank !== destination,
  );
  const own = every.filter((link) => link.transport === transport);
  const rowOf = (link: LinkEnds) => (isLocal ? (link.rank ?? "–") : link.source);
  const columnOf = (link: LinkEnds) => (isLocal ? `${link.source} → ${link.destination}` : link.destination);
  const rows = ordered(own.map(rowOf));
  const columns = ordered(own.map(columnOf));
  const byPlace = new Map<string, LinkEnds[]>();
  for (const link of own) {
    const key = `${rows.indexOf(rowOf(link))} ${columns.indexOf(columnOf(link))}`;
    byPlace.set(key, [...(byPlace.get(key) ?? []), link]);
  }
  const cells = [...byPlace].map(([key, members]) => {
    const [row, column] = key.split(" ").map(Number);
    const time = members.reduce((sum, link) => sum + link.time, 0n);
    const size = members.reduce((sum, link) => sum + link.size, 0n);
    const isWithin = members.every(({ source, destination }) => source === destination);
    const isCompared = !isWithin && (figure !== "bandwidth" || time > 0n);
    return { row: row!, column: column!, links: members.map(({ place }) => place), time, size, isCompared };
  });
  const values = cells.filter(({ isCompared }) => isCompared).map((cell) => cellValue(cell, figure));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return {
    rows,
    columns,
    rowTitle: isLocal ? "Rank" : "From",
    columnTitle: isLocal ? "Link" : "To",
    cells: cells.map(({ isCompared, ...cell }) => {
      const part = most > least ? (cellValue(cell, figure) - least) / (most - least) : 0;
      return { ...cell, part: isCompared ? part : null };
    }),
  };
}

/** A figure of a cell: bytes for each tick, ticks, or bytes. */
export function cellValue({ time, size }: Pick<Cell, "time" | "size">, figure: CellFigure): number {
  if (figure === "bandwidth") {
    return time === 0n ? 0 : Number(size) / Number(time);
  }
  return Number(figure === "time" ? time : size);
}

/** Keys that lead from cell to cell. */
const MOVES: Readonly<Record<string, (cell: Cell, from: Cell) => boolean>> = {
  ArrowRight: (cell, from) => cell.row === from.row && cell.column > from.column,
  ArrowLeft: (cell, from) => cell.row === from.row && cell.column < from.column,
  ArrowDown: (cell, from) => cell.row > from.row,
  ArrowUp: (cell, from) => cell.row < from.row,
  Home: (cell, from) => cell.row === from.row && cell.column <= from.column,
  End: (cell, from) => cell.row === from.row && cell.column >= from.column,
};

/** The place of the cell that a key leads to; null: it is no such key. Where there is none, the place itself. */
export function cellAfter(matrix: LinkMatrix, place: number, key: string): number | null {
  const move = MOVES[key];
  const from = matrix.cells[place];
  if (move === undefined || from === undefined) {
    return null;
  }
  const far = key === "Home" || key === "End" ? -1 : 1;
  const distance = (cell: Cell) => far * (1e6 * Math.abs(cell.row - from.row) + Math.abs(cell.column - from.column));
  let nearest = place;
  matrix.cells.forEach((cell, other) => {
    const isNearer = nearest === place || distance(cell) < distance(matrix.cells[nearest]!);
    if (other !== place && move(cell, from) && isNearer) {
      nearest = other;
    }
  });
  return nearest;
}

function linksOf(table: ToolTable): readonly LinkEnds[] {
  const values = (id: string) => table.columns.find((column) => column.id === id)?.values ?? [];
  const [ranks, sources, destinations] = [values("rank"), values("source"), values("destination")];
  const [transports, times, sizes] = [values("transport"), values("time"), values("size")];
  return sources.flatMap((source, place) => {
    const destination = destinations[place] ?? null;
    if (source === null || destination === null) {
      return [];
    }
    const rank = ranks[place] ?? null;
    return {
      place,
      rank: rank === null ? null : String(rank),
      source: String(source),
      destination: String(destination),
      transport: String(transports[place] ?? ""),
      time: BigInt(String(times[place] ?? 0)),
      size: BigInt(String(sizes[place] ?? 0)),
    };
  });
}

/** Different names, numbers in them by their size. */
function ordered(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
