import { expect, test } from "vitest";
import { FIELDS } from "./fields";

test("what is written is read again, and what is malformed is the default", () => {
  const fields = {
    program: "jit_f(7)",
    host: "w-1",
    space: 5,
    buffers: "all",
    point: 7,
    firstPoint: 2,
    lastPoint: 9,
  } as const;
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  const plain = FIELDS.parse({});
  expect(FIELDS.format(plain)).toEqual({});
  expect(FIELDS.parse({ space: "-1", buffers: "some", order: "program" })).toEqual(plain);
});
