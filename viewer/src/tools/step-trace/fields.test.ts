import { expect, test } from "vitest";
import { FIELDS } from "./fields";

test("what is written is read again, and what is malformed is left out", () => {
  const fields = { tracks: "3,5-9", forwardStart: "Default/net/Cast-op6", backwardEnd: "TransData-op7" };
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  expect(FIELDS.format(FIELDS.parse({ tracks: "all", forward_start: " ", backward_end: "" }))).toEqual({});
});
