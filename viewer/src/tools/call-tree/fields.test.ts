import { expect, it } from "vitest";
import { FIELDS } from "./fields";

it("what is malformed gets its default", () => {
  expect(FIELDS.parse({ by: "depth", limit: "7", tracks: "all" })).toEqual({ by: "name", limit: "10000", tracks: "" });
});

it("what is chosen stands in the address, and defaults do not", () => {
  const fields = { by: "track", limit: "1000", tracks: "3-7" } as const;
  expect(FIELDS.format(fields)).toEqual({ by: "track", limit: "1000", tracks: "3-7" });
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  expect(FIELDS.format(FIELDS.parse({}))).toEqual({});
});
