import type { ToolTable } from "@tilescope/client";
import { expect, test } from "vitest";
import { TableChoices, TableModel } from "../table-model";
import { column, table } from "../test-tables";
import { RowNames } from "../tree-picture/names";
import { partLabel, restLabel } from "./ring-labels";
import { partAt, partByKey, type RingPart, ringColumns, ringParts } from "./ring-parts";

const NAMES = { time: { tickPs: 1, originNs: 0n }, trackPath: () => [] };

function modelOf(answer: ToolTable): TableModel {
  return new TableModel(answer, NAMES, new TableChoices());
}

function partsOf(sizes: readonly number[], whole: number): readonly RingPart[] {
  const model = modelOf(table([column("busy", "ticks", sizes)], { totals: { busy: String(whole) } }));
  return ringParts(model, model.columns[0]!, model.lines.value.rows);
}

test("columns whose values add up to a whole have a ring", () => {
  const model = modelOf(
    table(
      [
        column("name", "name", ["a", "b"]),
        column("busy", "ticks", ["5", "3"]),
        column("longest", "ticks", ["5", "3"], { total: "max" }),
        column("share", "fraction", [0.5, 0.25]),
        column("overlapping", "fraction", [0.75, 0.5]),
        column("use", "fraction", [0.1, 0.2], { unit: "of peak" }),
        column("change", "number", [5, -3]),
        column("untotalled", "count", [1, 2]),
        column("nothing", "count", [0, null]),
      ],
      { totals: { busy: "9", longest: "5", change: 2, nothing: 4 } },
    ),
  );
  expect(ringColumns(model).map(({ id }) => id)).toEqual(["share", "busy"]);
});

test("trees and empty tables have none", () => {
  const columns = [column("busy", "ticks", ["5", "3"]), column("parent", "place", [-1, 0])];
  expect(ringColumns(modelOf(table(columns, { parent: "parent", totals: { busy: "8" } })))).toEqual([]);
  expect(ringColumns(modelOf(table([column("busy", "ticks", [])], { totals: { busy: "8" } })))).toEqual([]);
});

test("rows come by size, then what is not listed", () => {
  const parts = partsOf([2, 5, 0, 2], 10);
  expect(parts.map(({ kind, row, size }) => [kind, row, size])).toEqual([
    ["row", 1, 5],
    ["row", 0, 2],
    ["row", 3, 2],
    ["rest", -1, 1],
  ]);
  expect(parts.map(({ from }) => from)).toEqual([0, 0.5, 0.7, 0.8999999999999999]);
});

test("small rows, and those beyond a dozen, are one part; parts make up the whole", () => {
  const small = partsOf([996, 2, 2], 1000);
  expect(small.map(({ kind, rows, size }) => [kind, rows, size])).toEqual([
    ["row", 1, 996],
    ["others", 2, 4],
  ]);
  const many = partsOf(
    Array.from({ length: 40 }, (_, k) => k + 1),
    1000,
  );
  expect(many.filter(({ kind }) => kind === "row")).toHaveLength(12);
  expect(many.map(({ kind }) => kind).slice(-2)).toEqual(["others", "rest"]);
  for (const parts of [small, many]) {
    expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
  }
  expect(many.reduce((sum, { rows }) => sum + rows, 0)).toBe(40);
});

test("a filter leaves the other rows to the rest", () => {
  const model = modelOf(
    table([column("name", "name", ["copy", "fusion"]), column("busy", "ticks", [3, 5])], { totals: { busy: "8" } }),
  );
  model.filter = "copy";
  const parts = ringParts(model, model.columns[1]!, model.lines.value.rows);
  expect(parts.map(({ kind, size }) => [kind, size])).toEqual([
    ["row", 3],
    ["rest", 5],
  ]);
});

test("the ring begins at the top and goes clockwise", () => {
  const parts = partsOf([1, 1, 1, 1], 4);
  const hit = (xPx: number, yPx: number) => partAt(parts, xPx, yPx, 10, 20);
  expect([hit(10, -11), hit(11, 10), hit(-10, 11), hit(-11, -10)]).toEqual([0, 1, 2, 3]);
  expect([hit(0, -9), hit(0, -21), hit(0, 0)]).toEqual([-1, -1, -1]);
});

test("keys walk from part to part and stop at the ends", () => {
  expect(["ArrowRight", "ArrowDown", "Home"].map((key) => partByKey(3, -1, key))).toEqual([0, 0, 0]);
  expect(partByKey(3, -1, "ArrowLeft")).toBe(2);
  expect(partByKey(3, 2, "ArrowRight")).toBe(2);
  expect(partByKey(3, 0, "ArrowUp")).toBe(0);
  expect(partByKey(3, 0, "End")).toBe(2);
  expect([partByKey(3, 0, "x"), partByKey(0, 0, "Home")]).toEqual([null, null]);
});

test("parts are named; sums are whole numbers where the column has such", () => {
  const answer = table([column("name", "name", ["a", "b", "c"]), column("bytes", "bytes", ["997", "1", "1"])], {
    totals: { bytes: "1000" },
  });
  const model = modelOf(answer);
  const bytes = model.columns[1]!;
  const words = (filter: string) => {
    model.filter = filter;
    return ringParts(model, bytes, model.lines.value.rows)
      .map((part) => partLabel(part, bytes, new RowNames(answer), restLabel(model)))
      .map(({ name, size, share }) => `${name}: ${size}, ${share}`);
  };
  expect(words("")).toEqual(["a: 997 B, 99.7 %", "2 smaller rows: 2 B, 0.20 %", "The rest: 1 B, 0.10 %"]);
  expect(words("a")).toEqual(["a: 997 B, 99.7 %", "Not shown: 3 B, 0.30 %"]);
  expect(restLabel(modelOf({ ...answer, rest: { bytes: "1" } }))).toBe("Not listed");
});
