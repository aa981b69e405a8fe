import { expect, test } from "vitest";
import type { ToolColumn, ToolRowQuestion } from "../base/schema";
import { rowQuestion } from "./row-question";

const names: ToolColumn = { id: "name", title: "", kind: "name", unit: "", total: "sum", values: ["a, b", null, ""] };
const question: ToolRowQuestion = {
  tool: "kernels",
  label: "",
  columns: { operation: "name" },
  values: { limit: "5" },
};

test("a row fills the fields of a question, as they are written; one that lacks a value stands for none", () => {
  const fields = [0, 1, 2, 3].map((row) => rowQuestion({ columns: [names] }, question, row));
  expect(fields).toEqual([{ limit: "5", operation: "a, b" }, null, null, null]);
  expect(rowQuestion({ columns: [] }, question, 0)).toBeNull();
  expect(rowQuestion({ columns: [{ ...names, kind: "id", values: [0] }] }, question, 0)?.operation).toBe("0");
});
