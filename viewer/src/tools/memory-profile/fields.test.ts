import { expect, test } from "vitest";
import { FIELDS } from "./fields";

test("what is written is read again, and what is malformed is the default", () => {
  const fields = { memory: "host 1 · GPU_0_bfc", tracks: "1,5-8" };
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  const plain = FIELDS.parse({});
  expect(FIELDS.format(plain)).toEqual({});
  expect(FIELDS.parse({ tracks: "a" })).toEqual(plain);
  expect(FIELDS.parse({ memory: "x".repeat(2000) }).memory).toHaveLength(1000);
});
