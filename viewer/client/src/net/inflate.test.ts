import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { inflate } from "./inflate";

const text = new Uint8Array(Array.from({ length: 300_000 }, (_, k) => (k * k) % 251));

test("inflates a member, also one that is a part of a larger buffer", async () => {
  const member = gzipSync(text);
  const frame = new Uint8Array(member.length + 7);
  frame.set(member, 7);
  expect(await inflate(frame.subarray(7))).toEqual(text);
});

test.each([
  ["no gzip", new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])],
  ["a member that is cut off", new Uint8Array(gzipSync(text).subarray(0, 200))],
  ["a member with something behind it", new Uint8Array([...gzipSync(text), 1, 2, 3])],
])("%s is rejected, once", async (_, bytes) => {
  await expect(inflate(bytes)).rejects.toThrow();
});
