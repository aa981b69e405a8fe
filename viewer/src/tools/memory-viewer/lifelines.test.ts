import type { ToolColumn, ToolTable } from "@tilescope/client";
import { expect, test } from "vitest";
import { lifelines, MOST_LINES, THICKEST_PX, THINNEST_PX } from "./lifelines";

function column(id: string, kind: ToolColumn["kind"], values: ToolColumn["values"]): ToolColumn {
  return { id, title: id, kind, unit: "", total: "none", values };
}

function table(rows: readonly (readonly [string, number, number, number])[]): ToolTable {
  const columns = [
    column(
      "name",
      "name",
      rows.map(([name]) => name),
    ),
    column(
      "size",
      "bytes",
      rows.map(([, size]) => String(size)),
    ),
    column(
      "purpose",
      "text",
      rows.map(() => "temporary"),
    ),
    column(
      "first",
      "count",
      rows.map(([, , first]) => String(first)),
    ),
    column(
      "last",
      "count",
      rows.map(([, , , last]) => String(last)),
    ),
  ];
  return { id: "buffers", title: "", parent: null, nested: [], columns, totals: null, rest: null, more: null };
}

test("lines stand in the order of the program, as thick as buffers are large", () => {
  const lines = lifelines(
    table([
      ["b", 100, 4, 8],
      ["a", 50, 0, 10],
      ["tiny", 1, 2, 2],
      ["none", 0, 0, 1],
    ]),
    10,
  );
  expect(lines.map(({ name, left, width, thicknessPx }) => [name, left, width, thicknessPx])).toEqual([
    ["a", 0, 1, THICKEST_PX / 2],
    ["tiny", 0.15, 0.1, THINNEST_PX],
    ["b", 0.35, 0.5, THICKEST_PX],
  ]);
});

test("of very many the largest are drawn", () => {
  const rows = Array.from({ length: 200 }, (_, k) => [`b${k}`, k + 1, k, k + 1] as const);
  const lines = lifelines(table(rows), 200);
  expect(lines).toHaveLength(MOST_LINES);
  expect(Math.min(...lines.map(({ row }) => row))).toBe(200 - MOST_LINES);
  expect(lifelines(table([]), 0)).toEqual([]);
});
