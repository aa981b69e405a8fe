import { expect, test } from "vitest";

import { parseAt } from "./tolerant-json";

test.each([
  ["1.50", 1.5],
  ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
  ["1234567890.12500000000000", 1234567890.125],
  ["12345678901234567890", "12345678901234567890"],
  ["1e999", "1e999"],
])("the number %s is %o", (text, value) => {
  expect(parseAt(text, 0)?.value).toEqual(value);
});

test("a number of half a million zeros is read", () => {
  const text = `1.${"0".repeat(500_000)}1`;
  expect(parseAt(text, 0)?.value).toBe(text);
});
