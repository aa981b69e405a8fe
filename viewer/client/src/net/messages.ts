/** The messages of the stream in docs/api.md, to and from bytes. */

import { FormatError } from "../pages/error";
import type { PageKey } from "../pages/key";
import { pack, unpackFirst } from "./msgpack";

export type ServerMessage =
  | { readonly type: "page"; readonly id: number; readonly key: PageKey; readonly payload: Uint8Array<ArrayBuffer> }
  | { readonly type: "missing"; readonly id: number; readonly key: PageKey }
  | { readonly type: "done"; readonly id: number }
  | { readonly type: "error"; readonly code: string; readonly message: string };

/** `received` is the number of page messages that came on this connection so far. */
export function encodeWant(id: number, keys: readonly PageKey[], received: number): Uint8Array<ArrayBuffer> {
  const pages = keys.map(({ block, level, index, slot }) => [block, level, index, slot]);
  return pack({ type: "want", id, pages, received });
}

export function encodeCredit(bytes: number): Uint8Array<ArrayBuffer> {
  return pack({ type: "credit", bytes });
}

/** Reads one frame: a msgpack map and, for a page, its payload behind it. Throws FormatError. */
export function decodeMessage(frame: ArrayBuffer): ServerMessage {
  const header = readHeader(frame);
  switch (header.type) {
    case "page": {
      const size = header.bytes;
      if (!Number.isInteger(size) || (size as number) < 0 || (size as number) >= frame.byteLength) {
        throw new FormatError(`a page message of ${frame.byteLength} bytes announces ${size} bytes`);
      }
      const payload = new Uint8Array(frame, frame.byteLength - (size as number));
      return { type: "page", id: Number(header.id), key: readKey(header.key), payload };
    }
    case "missing":
      return { type: "missing", id: Number(header.id), key: readKey(header.key) };
    case "done":
      return { type: "done", id: Number(header.id) };
    case "error":
      return { type: "error", code: String(header.code), message: String(header.message) };
    default:
      throw new FormatError(`unknown message type ${String(header.type)}`);
  }
}

function readHeader(frame: ArrayBuffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = unpackFirst(frame);
  } catch (error) {
    throw new FormatError("a message that is not msgpack", { cause: error });
  }
  if (typeof value !== "object" || value === null) {
    throw new FormatError("a message that is not a map");
  }
  return value as Record<string, unknown>;
}

function readKey(value: unknown): PageKey {
  if (!Array.isArray(value) || value.length !== 4 || !value.every((part) => Number.isSafeInteger(part))) {
    throw new FormatError("a message without a page key");
  }
  const [block, level, index, slot] = value as [number, number, number, number];
  return { block, level, index, slot };
}
