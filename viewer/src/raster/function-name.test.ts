import { expect, test } from "vitest";
import { functionOf } from "./function-name";

test.each([
  ["void a::b<int>(int*)", "a::b"],
  ["_ZN1a1bIiEEvPi", "a::b"],
  ["void at::native::(anonymous namespace)::copy<4, f(int)>(int)", "at::native::anonymous::copy"],
  ["volta_sgemm_32x128_nt", "volta_sgemm_32x128_nt"],
  ["Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)"],
  ["operator<<", "operator"],
  ["_Z", "_Z"],
  ["_Z9999short", "_Z9999short"],
  ["", ""],
])("the function of %s", (name, path) => {
  expect(functionOf(name)).toBe(path);
});

test("a long name is read once, and only its beginning", () => {
  expect(functionOf(`f<${"a::b<".repeat(100_000)}`)).toBe("f");
});
