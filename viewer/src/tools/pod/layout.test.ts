import { expect, test } from "vitest";
import { column, table } from "../../answers/test-tables";
import { neighbour, podLayout } from "./layout";

type Row = readonly [host: string | null, chip: string | null, x: string | null, y: string | null];

function pod(rows: readonly Row[]) {
  return table([
    column(
      "core",
      "name",
      rows.map((_, k) => `core ${k}`),
    ),
    column(
      "host",
      "text",
      rows.map(([host]) => host),
    ),
    column(
      "chip",
      "id",
      rows.map(([, chip]) => chip),
    ),
    column(
      "x",
      "id",
      rows.map(([, , x]) => x),
    ),
    column(
      "y",
      "id",
      rows.map(([, , , y]) => y),
    ),
  ]);
}

/** 4 × 2 chips of two cores, 2 × 2 a host. */
const GRID = pod(
  Array.from({ length: 16 }, (_, k): Row => {
    const chip = k >> 1;
    return [`w-${(chip % 4) >> 1}`, String(chip), String(chip % 4), String(chip >> 2)];
  }),
);

test("hosts are boxes of the grid", () => {
  const layout = podLayout(GRID);
  expect([layout.columns, layout.rows, layout.coresOfChip]).toEqual([4, 2, 2]);
  expect(layout.boxes.map(({ host, column: x, row, columns, rows }) => [host, x, row, columns, rows])).toEqual([
    ["w-0", 0, 0, 2, 2],
    ["w-1", 2, 0, 2, 2],
  ]);
  expect(layout.boxes[1]!.chips.map(({ id, column: x, row, cores }) => [id, x, row, cores])).toEqual([
    ["2", 0, 0, [4, 5]],
    ["3", 1, 0, [6, 7]],
    ["6", 0, 1, [12, 13]],
    ["7", 1, 1, [14, 15]],
  ]);
});

test("keys walk as it lies", () => {
  const layout = podLayout(GRID);
  expect(neighbour(layout, 0, "ArrowRight")).toBe(1); // the other core of the chip
  expect(neighbour(layout, 1, "ArrowRight")).toBe(2);
  expect(neighbour(layout, 3, "ArrowRight")).toBe(4); // into the next box
  expect(neighbour(layout, 3, "ArrowDown")).toBe(11);
  expect(neighbour(layout, 11, "ArrowUp")).toBe(3);
  expect(neighbour(layout, 11, "ArrowDown")).toBe(11);
  expect(neighbour(layout, 0, "ArrowLeft")).toBe(0);
  expect(neighbour(layout, 99, "ArrowLeft")).toBe(99);
});

test("without a grid, or where hosts lie in one another, each host has a square", () => {
  const hosts = podLayout(pod([...Array(5)].map((_, k): Row => [`h${k}`, null, null, null])));
  expect([hosts.columns, hosts.rows]).toEqual([3, 2]);
  const mixed = podLayout(
    pod([
      ["a", "0", "0", "0"],
      ["b", "1", "1", "0"],
      ["a", "2", "2", "0"],
      ["a", "2", "2", "0"],
    ]),
  );
  expect(mixed.boxes.map(({ host, column: x, chips }) => [host, x, chips.map(({ cores }) => cores)])).toEqual([
    ["a", 0, [[0], [2, 3]]],
    ["b", 2, [[1]]],
  ]);
  expect(podLayout(pod([])).boxes).toEqual([]);
});
