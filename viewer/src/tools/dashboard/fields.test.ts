import { expect, test } from "vitest";
import { FIELDS, fieldsOf } from "./fields";

test("what is written is read again, and what is malformed is left out", () => {
  const fields = { tracks: "3,5-9", stepName: "train step", rank: "3" };
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  expect(FIELDS.format(FIELDS.parse({ tracks: "all", step_name: " ", rank: "-1" }))).toEqual({});
});

test("only the input pipeline is asked about a rank", () => {
  const fields = { tracks: "3", stepName: "", rank: "1" };
  expect(fieldsOf("input_pipeline", fields)).toEqual(fields);
  expect(fieldsOf("overview", fields)).toEqual({ ...fields, rank: "" });
});
