import { expect, test } from "vitest";
import { FIELDS } from "./fields";

test("what is written is read again, and what is malformed is left out", () => {
  const fields = { kind: "launch_delay", limit: "1000", tracks: "3,5-9" } as const;
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  expect(FIELDS.format(FIELDS.parse({ tracks: "all", path_kind: "No kind", limit: "7" }))).toEqual({});
});
