import { expect, test } from "vitest";
import { measuredColumns, rowsAnswer } from "./rows-answer";

const ROWS = {
  columns: [
    { name: "name", type: "VARCHAR" },
    { name: "track", type: "BIGINT" },
    { name: "ordinal", type: "BIGINT" },
    { name: "duration", type: "HUGEINT" },
    { name: "mean", type: "DOUBLE" },
    { name: "open", type: "BOOLEAN" },
  ],
  rows: [
    ["matmul", "3", "41", "9223372036854775808", 1.5, true],
    [null, null, "42", "7", null, null],
  ],
  cut: false,
};

test("Kinds of columns, with whole numbers exact, and the way to slices", () => {
  const [table] = rowsAnswer(ROWS, "", "").tables;
  expect(table?.columns.map(({ id, kind, values }) => [id, kind, values])).toEqual([
    ["name", "text", ["matmul", null]],
    ["track", "track", [3, null]],
    ["ordinal", "event", ["3.41", null]],
    ["duration", "ticks", ["9223372036854775808", "7"]],
    ["mean", "number", [1.5, null]],
    ["open", "flag", [true, null]],
  ]);
});

test("Links are ways to slices, and of columns of one name the last counts", () => {
  const columns = [
    { name: "a", type: "INTEGER" },
    { name: "a", type: "VARCHAR" },
  ];
  const [table] = rowsAnswer({ columns, rows: [["1", "#v=1&sel=3.4"]], cut: false }, "", "").tables;
  expect(table?.columns).toMatchObject([{ id: "a", kind: "event", values: ["3.4"] }]);
});

test("A chart of two columns: bars by name, points by figure, nothing without both", () => {
  expect(measuredColumns(ROWS)).toEqual(["ordinal", "duration", "mean"]);
  expect(rowsAnswer(ROWS, "name", "mean").series).toMatchObject([
    { kind: "bars", x: { id: "name" }, ys: [{ id: "mean" }] },
  ]);
  expect(rowsAnswer(ROWS, "duration", "mean").series).toMatchObject([{ kind: "points", title: "mean by duration" }]);
  expect(rowsAnswer(ROWS, "gone", "mean").series).toEqual([]);
});
