import type { ToolAnswer } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { column, table } from "../answers/test-tables";
import { mayHaveTables, tableRows } from "./table-rows";

const EVENT = table(
  [
    column("number", "id", [4, 4, 4, 7, 7, 4]),
    column("name", "text", ["k.csv", "k.csv", "k.csv", "s.json", "s.json", "k.csv"]),
    column("row", "id", [2, 2, 2, 0, 0, 3]),
    column("column", "text", ["Name", "Wait", "Dim", "name", "op", "Name"]),
    column("value", "text", ["MatMul", null, "48", null, null, "Add"]),
  ],
  { id: "event" },
);

describe("rows of tables about an event", () => {
  it("stand each by itself, without cells that say nothing", () => {
    const rows = tableRows({ tables: [EVENT] } as unknown as ToolAnswer);
    expect(rows.map(({ key, file, emptyCells }) => [key, file, emptyCells])).toEqual([
      ["4.2", "k.csv", 1],
      ["7.0", "s.json", 2],
      ["4.3", "k.csv", 0],
    ]);
    expect(rows[0]!.cells.map(({ name, text }) => [name, text])).toEqual([
      ["Name", "MatMul"],
      ["Dim", "48"],
    ]);
    expect(tableRows({ tables: [] } as unknown as ToolAnswer)).toEqual([]);
  });

  it("are there in runs with tables alone", () => {
    expect(mayHaveTables("ascend_table + trace_event_json")).toBe(true);
    expect(mayHaveTables("ascend_table")).toBe(true);
    expect(mayHaveTables("xspace")).toBe(false);
  });
});
