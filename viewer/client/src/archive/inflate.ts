/** Inflates what an archive holds: it may come from anybody, so that what comes out has a bound. */

import { FormatError } from "../pages/error";
import { joined } from "./joined";

/** Most bytes of a record: more than any page, chunk or part of an attachment has. */
export const MAX_INFLATED_BYTES = 1 << 28;

/** The content of a gzip member of at most so many bytes. Rejects with FormatError, which begins with `what`. */
export async function inflateWithin(
  member: Uint8Array<ArrayBuffer>,
  limit: number,
  what: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  // What is wrong with the bytes is told by the reading side.
  writer.write(member).catch(() => undefined);
  writer.close().catch(() => undefined);
  const reader = readable.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return joined(parts);
      }
      length += value.length;
      if (length > limit) {
        throw new FormatError(`${what} inflates to more than ${limit} bytes`);
      }
      parts.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error instanceof FormatError ? error : new FormatError(`${what} is damaged: ${String(error)}`);
  }
}
