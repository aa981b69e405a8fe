import { expect, it } from "vitest";
import { FIELDS } from "./fields";

it("what is malformed gets its default", () => {
  const plain = { by: "name", limit: "10000", weight: "time", name: "", tracks: "" };
  expect(FIELDS.parse({ by: "depth", limit: "7", weight: "kg", tracks: "all" })).toEqual(plain);
});

it("what is chosen stands in the address, and defaults do not", () => {
  const fields = { by: "track", limit: "1000", weight: "device", name: "aten::mm", tracks: "3-7" } as const;
  expect(FIELDS.format(fields)).toEqual(fields);
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  expect(FIELDS.format(FIELDS.parse({}))).toEqual({});
});
