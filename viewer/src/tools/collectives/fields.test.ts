import { expect, test } from "vitest";
import { FIELDS } from "./fields";

test("what is written is read again, and what is malformed is the default", () => {
  const fields = { transport: "HCCS", figure: "size", clocks: "measured", tracks: "3,5" } as const;
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  const plain = FIELDS.parse({});
  expect(FIELDS.format(plain)).toEqual({});
  expect(FIELDS.parse({ figure: "?", tracks: "x" })).toEqual(plain);
});
