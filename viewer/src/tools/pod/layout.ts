/** Layout of the chips of a pod: in the grid that the table tells, each host's in a box; else host by host. Pure. */

import type { ToolTable } from "@tilescope/client";

/** Some cores, as rows of the table, at a place within the box of its host. */
export interface Chip {
  readonly id: string | null;
  readonly column: number;
  readonly row: number;
  readonly cores: readonly number[];
}

/** Box of a host. Columns and rows count chips. */
export interface HostBox {
  readonly host: string;
  readonly column: number;
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
  readonly chips: readonly Chip[];
}

export interface PodLayout {
  readonly columns: number;
  readonly rows: number;
  /** Greatest number of cores of a chip. */
  readonly coresOfChip: number;
  readonly boxes: readonly HostBox[];
}

/** Keys that lead from core to core. */
export type ArrowKey = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

interface Core {
  readonly row: number;
  readonly host: string;
  readonly chip: string | null;
  readonly x: number | null;
  readonly y: number | null;
}

export function podLayout(cores: ToolTable): PodLayout {
  const byHost = new Map<string, Core[]>();
  for (const core of coresOf(cores)) {
    byHost.set(core.host, [...(byHost.get(core.host) ?? []), core]);
  }
  const boxes = gridBoxes(byHost) ?? hostBoxes(byHost);
  return {
    columns: Math.max(0, ...boxes.map(({ column, columns }) => column + columns)),
    rows: Math.max(0, ...boxes.map(({ row, rows }) => row + rows)),
    coresOfChip: Math.max(0, ...boxes.flatMap(({ chips }) => chips.map((chip) => chip.cores.length))),
    boxes,
  };
}

/** The core next to one in a direction, as a row of the table; itself where there is none. */
export function neighbour(layout: PodLayout, from: number, direction: ArrowKey): number {
  const places = layout.boxes.flatMap((box) =>
    box.chips.flatMap((chip) =>
      chip.cores.map((row, k) => ({
        row,
        x: (box.column + chip.column) * layout.coresOfChip + k,
        y: box.row + chip.row,
      })),
    ),
  );
  const here = places.find(({ row }) => row === from);
  if (here === undefined) {
    return from;
  }
  let root = from;
  let least = Number.POSITIVE_INFINITY;
  for (const { row, x, y } of places) {
    const [along, aside] =
      direction === "ArrowLeft" || direction === "ArrowRight" ? [x - here.x, y - here.y] : [y - here.y, x - here.x];
    const ahead = direction === "ArrowRight" || direction === "ArrowDown" ? along : -along;
    const far = ahead + 1000 * Math.abs(aside);
    if (ahead > 0 && far < least) {
      root = row;
      least = far;
    }
  }
  return root;
}

function coresOf(table: ToolTable): readonly Core[] {
  const values = (id: string) => table.columns.find((column) => column.id === id)?.values ?? [];
  const [hosts, chips, xs, ys] = [values("host"), values("chip"), values("x"), values("y")];
  const number = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  return (table.columns[0]?.values ?? []).map((_, row) => ({
    row,
    host: String(hosts[row] ?? ""),
    chip: chips[row] === null || chips[row] === undefined ? null : String(chips[row]),
    x: number(xs[row]),
    y: number(ys[row]),
  }));
}

/** Boxes in the grid that all cores tell; null where they tell none, or hosts lie in one another. */
function gridBoxes(byHost: ReadonlyMap<string, readonly Core[]>): readonly HostBox[] | null {
  const every = [...byHost.values()].flat();
  if (every.length === 0 || every.some(({ x, y }) => x === null || y === null)) {
    return null;
  }
  const [left, top] = [Math.min(...every.map(({ x }) => x!)), Math.min(...every.map(({ y }) => y!))];
  const taken = new Set<string>();
  const boxes: HostBox[] = [];
  for (const [host, cores] of byHost) {
    const [xs, ys] = [cores.map(({ x }) => x! - left), cores.map(({ y }) => y! - top)];
    const [column, row] = [Math.min(...xs), Math.min(...ys)];
    const [columns, rows] = [Math.max(...xs) - column + 1, Math.max(...ys) - row + 1];
    for (let index = 0; index < columns * rows; index++) {
      const place = `${column + (index % columns)},${row + Math.floor(index / columns)}`;
      if (taken.has(place)) {
        return null;
      }
      taken.add(place);
    }
    const chips = new Map<string, Chip>();
    cores.forEach(({ row: core, chip }, k) => {
      const place = `${xs[k]},${ys[k]}`;
      const cores = chips.get(place)?.cores ?? [];
      chips.set(place, { id: chip, column: xs[k]! - column, row: ys[k]! - row, cores: [...cores, core] });
    });
    boxes.push({ host, column, row, columns, rows, chips: [...chips.values()] });
  }
  return boxes;
}

/** Boxes of one size, as nearly a square as can be, and so are the chips in them. */
function hostBoxes(byHost: ReadonlyMap<string, readonly Core[]>): readonly HostBox[] {
  const hosts = [...byHost].map(([host, cores]) => {
    const chips = new Map<string, number[]>();
    for (const { row, chip } of cores) {
      const id = chip ?? `row ${row}`;
      chips.set(id, [...(chips.get(id) ?? []), row]);
    }
    return { host, chips: [...chips].map(([id, cores]) => ({ id: id.startsWith("row ") ? null : id, cores })) };
  });
  const most = Math.max(0, ...hosts.map(({ chips }) => chips.length));
  const columns = Math.max(1, Math.ceil(Math.sqrt(most)));
  const rows = Math.max(1, Math.ceil(most / columns));
  const across = Math.max(1, Math.ceil(Math.sqrt(hosts.length)));
  return hosts.map(({ host, chips }, index) => ({
    host,
    column: (index % across) * columns,
    row: Math.floor(index / across) * rows,
    columns,
    rows,
    chips: chips.map((chip, k) => ({ ...chip, column: k % columns, row: Math.floor(k / columns) })),
  }));
}
