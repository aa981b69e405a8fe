/** Questions that rows of a table stand for. Pure. */

import type { ToolRowQuestion, ToolTable } from "../base/schema";

/** Texts of the fields of a question that a row fills, without a range: that is the answer's own. Null: a value of the row is missing. */
export function rowQuestion(
  { columns }: Pick<ToolTable, "columns">,
  question: ToolRowQuestion,
  row: number,
): Readonly<Record<string, string>> | null {
  const fields: Record<string, string> = { ...question.values };
  for (const [field, id] of Object.entries(question.columns)) {
    const value = columns.find((column) => column.id === id)?.values[row] ?? "";
    if (value === "") {
      return null;
    }
    fields[field] = String(value);
  }
  return fields;
}
