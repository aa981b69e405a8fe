import { expect, test } from "vitest";
import { narrowText } from "./narrower";
import { column } from "./test-tables";

const types = column("type", "name", ["Add", null, "", "a,b", "Cast"]);
const rows = [0, 1, 2, 3, 4];
const narrower = { texts: new Map([["type", "Cast"]]), ask: () => {} };

test("a row of a field asks about its value alone, unless there is none, it is a list, or it is asked already", () => {
  expect(rows.map((row) => narrowText(narrower, types, row))).toEqual(["Add", null, null, null, null]);
  expect(narrowText({ ...narrower, texts: new Map([["step", ""]]) }, column("step", "count", ["0"]), 0)).toBe("0");
});

test("other columns, and pages without fields, lead nowhere", () => {
  expect(narrowText(narrower, column("name", "name", ["Add"]), 0)).toBeNull();
  expect(narrowText(null, types, 0)).toBeNull();
  expect(narrowText(narrower, undefined, 0)).toBeNull();
});
