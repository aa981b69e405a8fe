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
  expect(stragglerOf(matrix)).toBe("rank 2");
});

test("where nobody waits, nobody is waited for", () => {
  const matrix = waitsMatrix(
    table([
      ["rank 0", 1, "0"],
      ["rank 1", 1, "0"],
    ]),
  );
  expect(matrix.cells.map(({ part }) => part)).toEqual([0, 0]);
  expect(stragglerOf(matrix)).toBeNull();
});
