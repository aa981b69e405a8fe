import { decode, encode } from "@msgpack/msgpack";
import { describe, expect, test } from "vitest";
import { FormatError } from "../pages/error";
import { type Packable, pack, unpackFirst } from "./msgpack";

const EDGES = [0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER];

const VALUES: readonly [string, unknown][] = [
  ["nothing", null],
  ["truth", [true, false]],
  ["numbers", EDGES],
  ["negative numbers", EDGES.map((edge) => -edge - 1).filter(Number.isSafeInteger)],
  ["fractions", [0.5, -1e300]],
  ["short and long texts", ["", "é".repeat(15), "é".repeat(16), "x".repeat(300), "x".repeat(70_000)]],
  ["long lists", [Array(15).fill(1), Array(16).fill("a"), Array(70_000).fill(2)]],
  ["maps", { a: { b: [{ c: 1 }] }, ...Object.fromEntries(EDGES.map((edge) => [`at ${edge}`, edge])) }],
  ["many keys", Object.fromEntries(Array.from({ length: 70_000 }, (_, k) => [`k${k}`, k]))],
];

function frame(bytes: Iterable<number>): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

test.each(VALUES)("reads %s as the package for all of msgpack does", (_, value) => {
  expect(JSON.stringify(unpackFirst(frame(encode(value))))).toBe(JSON.stringify(value));
  expect(unpackFirst(frame(encode(2.5, { forceFloat32: true })))).toBe(2.5);
});

test("writes what the package for all of msgpack reads", () => {
  const lists: readonly Packable[] = [EDGES, ["", "é".repeat(16), "x".repeat(300)], Array(40_000).fill([1, 2])];
  const value = { type: "want", lists, ...Object.fromEntries(EDGES.map((edge) => [`at ${edge}`, edge])) };
  expect(decode(pack(value))).toEqual(value);
});

test.each([-1, 0.5, Number.NaN, 2 ** 60])("does not write the number %d", (value) => {
  expect(() => pack({ value })).toThrow(FormatError);
});

describe("what cannot be read is an error, at once", () => {
  test.each([
    ["an extension", [0xd4, 1, 1]],
    ["bytes", [0xc4, 1, 1]],
    ["a byte that means nothing", [0xc1]],
    ["a key that is a number", [0x81, 1, 1]],
    ["lists in lists", Array(100_000).fill(0x91)],
    ["a list of four thousand million", [0xdd, 0xff, 0xff, 0xff, 0xff, 1]],
    ["a text that is cut off", [0xdb, 0xff, 0xff, 0xff, 0xff, 65]],
    ["a number that is cut off", [0xcf, 1, 2]],
  ])("%s", (_, bytes) => {
    expect(() => unpackFirst(frame(bytes))).toThrow();
  });

  test("every beginning of a message", () => {
    const whole = encode({ type: "page", id: 7, key: [3, 2, 2 ** 40, 31], bytes: 300 });
    for (let end = 0; end < whole.length; end++) {
      expect(() => unpackFirst(frame(whole.slice(0, end)))).toThrow();
    }
  });
});

test("a key named like the prototype is a key", () => {
  const map = unpackFirst(frame([0x81, 0xa9, ...new TextEncoder().encode("__proto__"), 0x81, 0xa1, 0x61, 1]));
  expect(Object.keys(map as object)).toEqual(["__proto__"]);
  expect(({} as { a?: unknown }).a).toBeUndefined();
});
