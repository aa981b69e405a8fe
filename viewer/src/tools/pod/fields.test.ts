import { expect, test } from "vitest";
import { FIELDS } from "./fields";

test("what is written is read again, and what is malformed is the default", () => {
  const fields = { step: "104", colour: "tpu_all_reduce_sync", stepName: "train", tracks: "3,5" };
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  const plain = FIELDS.parse({});
  expect(FIELDS.format(plain)).toEqual({});
  expect(FIELDS.parse({ step: "-1", colour: "?" })).toEqual(plain);
});
