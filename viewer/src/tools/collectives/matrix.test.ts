import { expect, test } from "vitest";
import { column, table } from "../../answers/test-tables";
import { cellAfter, cellValue, linkMatrix, transportsOf } from "./matrix";

type Row = readonly [string | null, string | null, string | null, string, string, string];

function links(rows: readonly Row[]) {
  const cellsOf = (place: number) => rows.map((row) => row[place] ?? null);
  return table([
    column("rank", "count", cellsOf(0)),
    column("source", "count", cellsOf(1)),
    column("destination", "count", cellsOf(2)),
    column("transport", "text", cellsOf(3)),
    column("time", "ticks", cellsOf(4)),
    column("size", "bytes", cellsOf(5)),
  ]);
}

const GLOBAL = links([
  ["0", "0", "10", "HCCS", "10", "100"],
  ["0", "0", "2", "HCCS", "10", "400"],
  ["0", "0", "2", "HCCS", "10", "200"],
  ["2", "2", "2", "HCCS", "1", "9000"],
  ["2", "2", "0", "RDMA", "50", "100"],
  ["2", "2", null, "HCCS", "50", "100"],
]);

test("ranks are in the order of their numbers, and several tasks of a link are one cell", () => {
  const matrix = linkMatrix(GLOBAL, "HCCS", "bandwidth");
  expect([matrix.rows, matrix.columns]).toEqual([
    ["0", "2"],
    ["2", "10"],
  ]);
  expect(matrix.cells.map(({ row, column, links, size }) => [row, column, links, size])).toEqual([
    [0, 1, [0], 100n],
    [0, 0, [1, 2], 600n],
    [1, 0, [3], 9000n],
  ]);
});

test("copies within a rank have no part in the range of colours", () => {
  const parts = linkMatrix(GLOBAL, "HCCS", "bandwidth").cells.map(({ part }) => part);
  expect(parts).toEqual([0, 1, null]);
  expect(linkMatrix(GLOBAL, "RDMA", "time").cells.map(({ part }) => part)).toEqual([0]);
});

test("a link that took no time is not the slowest", () => {
  const rows = links([
    ["0", "0", "1", "S", "0", "100"],
    ["1", "1", "0", "S", "10", "100"],
    ["1", "1", "2", "S", "10", "200"],
  ]);
  expect(linkMatrix(rows, "S", "bandwidth").cells.map(({ part }) => part)).toEqual([null, 0, 1]);
  expect(linkMatrix(rows, "S", "time").cells.map(({ part }) => part)).toEqual([0, 1, 1]);
});

test("transports come by the time between ranks", () => {
  expect(transportsOf(GLOBAL)).toEqual(["RDMA", "HCCS"]);
});

test("where ranks are numbered within groups, those that recorded links are rows", () => {
  const matrix = linkMatrix(
    links([
      ["0", "1", "0", "SDMA", "10", "100"],
      ["2", "1", "0", "SDMA", "20", "100"],
    ]),
    "SDMA",
    "time",
  );
  expect([matrix.rowTitle, matrix.rows, matrix.columns]).toEqual(["Rank", ["0", "2"], ["1 → 0"]]);
  expect(matrix.cells.map(({ row, column, part }) => [row, column, part])).toEqual([
    [0, 0, 0],
    [1, 0, 1],
  ]);
});

test("figures of links of no time are none", () => {
  expect(cellValue({ time: 0n, size: 5n }, "bandwidth")).toBe(0);
  expect(cellValue({ time: 4n, size: 6n }, "bandwidth")).toBe(1.5);
});

test("arrow keys lead to the nearest cell in their direction, and stay at the border", () => {
  const matrix = linkMatrix(
    links([
      ["0", "0", "1", "S", "1", "1"],
      ["0", "0", "3", "S", "1", "1"],
      ["1", "1", "3", "S", "1", "1"],
      ["3", "3", "0", "S", "1", "1"],
      ["0", "0", "2", "S", "1", "1"],
    ]),
    "S",
    "time",
  );
  const to = (place: number, key: string) => {
    const { row, column } = matrix.cells[cellAfter(matrix, place, key)!]!;
    return [matrix.rows[row], matrix.columns[column]];
  };
  expect(to(0, "ArrowRight")).toEqual(["0", "2"]);
  expect(to(0, "ArrowLeft")).toEqual(["0", "1"]);
  expect(to(0, "End")).toEqual(["0", "3"]);
  expect(to(1, "Home")).toEqual(["0", "1"]);
  expect(to(0, "ArrowDown")).toEqual(["1", "3"]);
  expect(to(3, "ArrowUp")).toEqual(["1", "3"]);
  expect(cellAfter(matrix, 0, "a")).toBeNull();
});
