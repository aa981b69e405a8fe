import { expect, test } from "vitest";
import { FIELDS } from "./fields";

test("what is written is read again, and defaults are left out", () => {
  const fields = { program: "jit_f", instruction: "fusion.1", distance: 5, open: ["fusion.1", "while.2"], find: "add" };
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  const none = FIELDS.parse({});
  expect(FIELDS.format(none)).toEqual({});
  expect(none.distance).toBe(3);
});

test("malformed texts are defaults", () => {
  const fields = FIELDS.parse({ distance: "11", open: ",,a," });
  expect(fields.distance).toBe(3);
  expect(fields.open).toEqual(["a"]);
});
