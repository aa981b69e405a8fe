import { expect, test } from "vitest";
import { FIELDS, LISTED } from "./fields";

test("what is written is read again, and what is malformed is the default", () => {
  for (const listed of LISTED) {
    const fields = { by: "program", withIdle: false, listed, tracks: "1,5-8", operation: "fusion.1" } as const;
    expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  }
  const plain = FIELDS.parse({});
  expect([plain.by, plain.listed]).toEqual(["category", "limit=10"]);
  expect(FIELDS.parse({ operation: "fusion.1" }).listed).toBe("limit=100");
  expect(FIELDS.format(plain)).toEqual({});
  expect(FIELDS.parse({ by: "colour", with_idle: "maybe", limit: "-3", cover: "x", tracks: "a" })).toEqual(plain);
});
