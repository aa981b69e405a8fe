import { decode, encode } from "@msgpack/msgpack";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../base/schema";
import { FormatError } from "../pages/error";
import { decodeMessage, encodeCredit, encodeWant } from "./messages";

const KEY = { block: 3, level: 2, index: 2 ** 40, slot: 31 };

function frame(header: unknown, payload: readonly number[] = []): ArrayBuffer {
  return new Uint8Array([...encode(header), ...payload]).buffer;
}

test("want-lists and credit as documented", () => {
  expect(decode(encodeWant(7, [KEY], 2))).toEqual({ type: "want", id: 7, pages: [[3, 2, 2 ** 40, 31]], received: 2 });
  expect(decode(encodeCredit(48_000))).toEqual({ type: "credit", bytes: 48_000 });
  expect(encodeWant(1, Array(LIMITS.pageKeys).fill({ ...KEY, index: Number.MAX_SAFE_INTEGER }), 0).length).toBeLessThan(
    LIMITS.bodyBytes,
  );
});

describe("messages of the server", () => {
  test("a page with its payload behind it", () => {
    const message = decodeMessage(frame({ type: "page", id: 7, key: [3, 2, 2 ** 40, 31], bytes: 3 }, [1, 2, 3]));
    expect(message).toEqual({ type: "page", id: 7, key: KEY, payload: new Uint8Array([1, 2, 3]) });
  });

  test("missing, done, error", () => {
    expect(decodeMessage(frame({ type: "missing", id: 1, key: [3, 2, 2 ** 40, 31] }))).toEqual({
      type: "missing",
      id: 1,
      key: KEY,
    });
    expect(decodeMessage(frame({ type: "done", id: 1 }))).toEqual({ type: "done", id: 1 });
    const error = { type: "error", code: "bad_message", message: "no" };
    expect(decodeMessage(frame(error))).toEqual(error);
  });

  test.each([
    ["nothing", new ArrayBuffer(0)],
    ["no map", frame(7)],
    ["an unknown type", frame({ type: "hello" })],
    ["more bytes than there are", frame({ type: "page", id: 1, key: [0, 0, 0, 0], bytes: 500 }, [1])],
    ["negative bytes", frame({ type: "page", id: 1, key: [0, 0, 0, 0], bytes: -1 })],
    ["a key of three numbers", frame({ type: "missing", id: 1, key: [0, 0, 0] })],
    ["a key of text", frame({ type: "missing", id: 1, key: ["0", "0", "0", "0"] })],
    ["half a map", frame({ type: "done", id: 1 }).slice(0, 4)],
  ])("%s is an error", (_, bytes) => {
    expect(() => decodeMessage(bytes)).toThrow(FormatError);
  });
});
