/**
 * Keys of records: a letter, then big-endian numbers (docs/page-format.md).
 *
 * A key is a string with a character of code 0 to 255 for each byte, so that strings are in the order of keys.
 */

import type { PageKey } from "../pages/key";

/** Letters of all kinds of records, with the bytes of the numbers of their keys. */
const KINDS: Readonly<Record<string, readonly number[]>> = {
  ...kinds("MITox"),
  ...kinds("ACNOSYZgmKtwz", 4),
  ...kinds("BEL", 4, 4),
  ...kinds("DFWXafl", 4, 8),
  ...kinds("GHJQRUV", 4, 1, 8),
  ...kinds("Pp", 4, 1, 8, 1),
  ...kinds("y", 4, 4, 4),
};

function kinds(letters: string, ...widths: readonly number[]): Record<string, readonly number[]> {
  return Object.fromEntries([...letters].map((letter) => [letter, widths]));
}

/** The key of a record; null where no kind has such numbers. The numbers have 64 bits without a sign. */
export function recordKey(letter: string, numbers: readonly bigint[]): string | null {
  const widths = KINDS[letter];
  if (
    widths === undefined ||
    numbers.length < widths.length ||
    numbers.slice(widths.length).some((number) => number !== 0n)
  ) {
    return null;
  }
  let key = letter;
  for (const [place, width] of widths.entries()) {
    const number = BigInt.asUintN(64, numbers[place]!);
    if (number >> BigInt(8 * width) !== 0n) {
      return null;
    }
    for (let byte = width - 1; byte >= 0; byte--) {
      key += String.fromCharCode(Number((number >> BigInt(8 * byte)) & 0xffn));
    }
  }
  return key;
}

export const MANIFEST_KEY = "M";
export const TRACKS_KEY = "T";

export function namesKey(page: number): string {
  return keyOf("N", page);
}

export function overviewKey(page: number): string {
  return keyOf("O", page);
}

export function shapeKey(block: number): string {
  return keyOf("S", block);
}

/** The record of a page. */
export function pageRecordKey(key: PageKey): string {
  return keyOf("P", key.block, key.level, key.index, key.slot);
}

/** The record of what was rounded off the bins of a page. */
export function residualKey(key: PageKey): string {
  return keyOf("p", key.block, key.level, key.index, key.slot);
}

function keyOf(letter: string, ...numbers: readonly number[]): string {
  const key = recordKey(letter, numbers.map(BigInt));
  if (key === null) {
    throw new RangeError(`no record ${letter} has the numbers ${numbers.join(", ")}`);
  }
  return key;
}
