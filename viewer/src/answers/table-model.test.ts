import type { ToolColumn } from "@tilescope/client";
import { expect, test } from "vitest";
import { moveInTable } from "./table-keys";
import { TableChoices, TableModel } from "./table-model";
import { column, table } from "./test-tables";

const NAMES = { time: { tickPs: 1, originNs: 0n }, trackPath: () => [] };

const FLAT = table(
  [
    column("id", "id", [7, 8, 9]),
    column("name", "name", ["fusion.2", "copy", "fusion.10"]),
    column("category", "text", ["", "", ""]),
    column("busy", "ticks", ["5", "9007199254740993", null]),
    column("longest", "ticks", ["5", "8", null], { total: "max" }),
    column("event", "event", ["1.2", "1.3", null]),
  ],
  { totals: { busy: "9007199254740998", longest: "8" }, rest: { busy: "0" } },
);

function rows(model: TableModel): number[] {
  return [...model.lines.value.rows];
}

test("ids, events and empty texts are not shown at first; the last column cannot be hidden", () => {
  const model = new TableModel(FLAT, NAMES, new TableChoices());
  const ids = () => model.shown.value.map((column) => column.id);
  expect(ids()).toEqual(["name", "busy", "longest"]);
  expect(model.main.value?.id).toBe("name");
  for (const id of ["event", "name", "busy", "longest"]) {
    model.turn(model.columns.find((column) => column.id === id)!);
  }
  expect(ids()).toEqual(["event"]);
  model.turn(model.columns.find(({ id }) => id === "event")!);
  expect(ids()).toEqual(["event"]);
});

test("an empty text is shown where no other column names the rows", () => {
  const empty = column("category", "text", [""]);
  const ids = (...columns: ToolColumn[]) =>
    new TableModel(table([empty, ...columns]), NAMES, new TableChoices()).shown.value.map(({ id }) => id);
  expect(ids(column("n", "count", ["3"]))).toEqual(["category", "n"]);
  expect(ids(column("host", "text", ["a"]), column("n", "count", ["3"]))).toEqual(["host", "n"]);
  expect(ids(column("note", "text", [""]), column("n", "count", ["3"]))).toEqual(["category", "n"]);
});

test("a span is not shown beside its own start and length, and is where they are another's", () => {
  const spans = column("gap", "span", ["10-15", "20-90"]);
  const model = (start: string, length: string) =>
    new TableModel(
      table([column("start", "time", ["10", start]), column("duration", "ticks", ["5", length]), spans]),
      NAMES,
      new TableChoices(),
    );
  const ids = (table: TableModel) => table.shown.value.map(({ id }) => id);
  expect(ids(model("20", "70"))).toEqual(["start", "duration"]);
  expect(ids(model("21", "70"))).toEqual(["start", "duration", "gap"]);
  expect(ids(model("20", "69"))).toEqual(["start", "duration", "gap"]);
  expect(ids(new TableModel(table([spans]), NAMES, new TableChoices()))).toEqual(["gap"]);
});

test("the filter wants all words; totals of what is shown are exact, and of the kind of their column", () => {
  const choices = new TableChoices();
  const model = new TableModel(FLAT, NAMES, choices);
  expect(model.totals.value.map((line) => line.label)).toEqual(["Not listed", "Total"]);
  model.filter = "FUSION 2";
  expect(rows(model)).toEqual([0]);
  model.filter = "o";
  expect(rows(model)).toEqual([0, 1, 2]);
  expect(model.totals.value[0]).toEqual({ label: "Shown", values: { busy: "9007199254740998", longest: "8" } });
  // The next answer is shown in the same way.
  expect(new TableModel(FLAT, NAMES, choices).filter).toBe("o");
});

test("sorting, shares and the ways of keys", () => {
  const model = new TableModel(FLAT, NAMES, new TableChoices());
  const busy = model.columns.find(({ id }) => id === "busy")!;
  model.sortBy(busy);
  expect(rows(model)).toEqual([1, 0, 2]);
  expect(model.share(model.columns.find(({ id }) => id === "longest")!, 2)).toBe(0.25);
  expect(model.share(model.columns.find(({ id }) => id === "id")!, 2)).toBeNull();
  expect(moveInTable(model, "End", 10)).toEqual({ kind: "focus", line: 2 });
  expect(moveInTable(model, "ArrowUp", 10)).toEqual({ kind: "focus", line: 0 });
  expect(moveInTable(model, "Enter", 10, true)).toEqual({ kind: "open", row: 1, way: 1 });
  expect(moveInTable(model, "ArrowRight", 10)).toBeNull();
  expect(moveInTable(new TableModel(table([]), NAMES, new TableChoices()), "Enter", 10)).toBeNull();
});

test("a filter opens what leads to matching rows of a tree; keys open, close and go up", () => {
  const parents = column("parent", "id", [-1, 0, 1, 0]);
  const names = column("name", "name", ["module", "layer", "fusion.7", "copy"]);
  const model = new TableModel(table([parents, names], { parent: "parent" }), NAMES, new TableChoices());
  expect(rows(model)).toEqual([0, 1, 2, 3]);
  model.openAll(false);
  expect(rows(model)).toEqual([0]);
  model.filter = "fusion";
  expect(rows(model)).toEqual([0, 1, 2]);
  model.filter = "";
  expect(moveInTable(model, "ArrowRight", 10)).toEqual({ kind: "toggle", row: 0 });
  model.toggle(0);
  expect(moveInTable(model, "ArrowRight", 10)).toEqual({ kind: "focus", line: 1 });
  model.current.value = 2;
  expect(moveInTable(model, "ArrowLeft", 10)).toEqual({ kind: "focus", line: 0 });
  expect(moveInTable(model, " ", 10)).toBeNull();
});
