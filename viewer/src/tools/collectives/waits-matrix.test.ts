import type { ToolTable } from "@tilescope/client";
import { expect, test } from "vitest";
import { stragglerOf, waitsMatrix } from "./waits-matrix";

function table(rows: readonly (readonly [string, number, string])[]): ToolTable {
  const column = (id: string, place: number) => ({
    ...{ id, title: id, kind: "text", unit: "", total: "none" },
    values: rows.map((row) => row[place]),
  });
  return {
    ...{ id: "waits", title: "Waits" },
    columns: [column("rank", 0), column("step", 1), column("wait", 2)],
  } as unknown as ToolTable;
}

test("ranks are rows and steps columns, numbers by their size, coloured by the wait", () => {
  const matrix = waitsMatrix(
    table([
      ["rank 10 · node1 · GPU 2", 9, "40"],
      ["rank 2 · node0", 9, "0"],
      ["rank 10 · node1 · GPU 2", 10, "10"],
    ]),
  );
  expect(matrix.rows).toEqual(["rank 2", "rank 10"]);
  expect(matrix.columns).toEqual(["9", "10"]);
  expect(matrix.cells.map(({ row, column, part }) => [row, column, part])).toEqual([
    [1, 0, 1],
    [0, 0, 0],
    [1, 1, 0.25],
  ]);
});

test.each([
  [
    "one waits for nobody",
    [
      ["rank 0", "30"],
      ["rank 12 · node1", "0"],
      ["rank 2", "31"],
    ],
    "rank 12",
  ],
  [
    "one waits a little",
    [
      ["rank 0", "30"],
      ["rank 1", "14"],
    ],
    "rank 1",
  ],
  [
    "none waits far less than the others",
    [
      ["rank 0", "30"],
      ["rank 1", "15"],
    ],
    null,
  ],
  [
    "nobody waits",
    [
      ["rank 0", "0"],
      ["rank 1", "0"],
    ],
    null,
  ],
  ["there is one rank", [["rank 0", "0"]], null],
] as const)("where %s, the straggler is told or not", (_, rows, straggler) => {
  const ranks = {
    columns: ["rank", "wait"].map((id, place) => ({ id, values: rows.map((row) => row[place]) })),
  } as unknown as ToolTable;
  expect(stragglerOf(ranks)).toBe(straggler);
});

test("where nobody waits, no cell has a colour", () => {
  const matrix = waitsMatrix(
    table([
      ["rank 0", 1, "0"],
      ["rank 1", 1, "0"],
    ]),
  );
  expect(matrix.cells.map(({ part }) => part)).toEqual([0, 0]);
});
