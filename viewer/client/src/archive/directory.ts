/** A directory: keys of records in order, with the place and the size of each. */

import { Container } from "../pages/container";
import { FormatError } from "../pages/error";
import { INTS } from "./columns";
import { inflateWithin } from "./inflate";
import { recordKey } from "./keys";

/** Kinds of directories: the level of the container. */
export const LEAF = 0;
export const ROOT = 1;
export const BOOT = 2;

const CHECKSUM_BYTES = 4;
const MAX_RECORD_BYTES = CHECKSUM_BYTES + 2 ** 30; // as the reader in Python has it
const ROW_BYTES = 8 * 7;
const HEAD_BYTES = 1024;

export interface Directory {
  readonly keys: readonly string[];
  readonly starts: Float64Array;
  readonly sizes: Float64Array;
}

/** The directory in a gzip member, which has so many entries, below `end`. Rejects with FormatError. */
export async function readDirectory(
  member: Uint8Array<ArrayBuffer>,
  level: number,
  entries: number,
  end: number,
): Promise<Directory> {
  const container = new Container(await inflateWithin(member, HEAD_BYTES + entries * ROW_BYTES, "a directory"));
  if (container.kind !== "TSAD" || container.level !== level || container.tileCount !== entries) {
    throw new FormatError(`not the directory with ${entries} entries that should be here`);
  }
  const letters = container.ints(INTS.entryLetter, entries).toUint8("letter");
  const columns = [INTS.entryFirst, INTS.entrySecond, INTS.entryThird, INTS.entryFourth].map(
    (column) => container.ints(column, entries).values,
  );
  const sizes = container.ints(INTS.entrySize, entries).toFloat64();
  const gaps = container.ints(INTS.entryGap, entries).toFloat64();
  const keys: string[] = [];
  const starts = new Float64Array(entries);
  let position = 0;
  for (let row = 0; row < entries; row++) {
    const numbers = columns.map((column) => column[row]!);
    const key = recordKey(String.fromCharCode(letters[row]!), numbers);
    if (key === null || (row > 0 && keys[row - 1]! >= key)) {
      throw new FormatError("a directory has keys that make no sense, or are out of order");
    }
    keys.push(key);
    position += gaps[row]!;
    starts[row] = position;
    position += sizes[row]!;
    if (!(sizes[row]! >= CHECKSUM_BYTES && sizes[row]! <= MAX_RECORD_BYTES)) {
      throw new FormatError("a directory has records of impossible sizes");
    }
    if (!(starts[row]! >= 0 && position <= end)) {
      throw new FormatError("a directory points outside of the records");
    }
  }
  return { keys, starts, sizes };
}

/** The place of the greatest key that is not above this one; -1 where there is none. */
export function lastAtMost({ keys }: Directory, key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}
