/**
 * The steps that turn the body of a column into 64-bit integers, in place.
 *
 * A value is two 32-bit words, the low one first. Arithmetic is modulo 2**64 without a BigInt per value: this runs for
 * some 50,000 values per page, and BigInts were the slow part of decoding.
 */

const WORD = 4294967296;

/** Joins `planes` byte planes of `words.length / 2` values each. `words` is all zero before. */
export function assembleWords(body: Uint8Array, planes: number, words: Int32Array): void {
  const length = words.length / 2;
  for (let plane = 0; plane < planes; plane++) {
    const shift = 8 * (plane & 3);
    const offset = plane * length;
    for (let k = 0, word = plane >> 2; k < length; k++, word += 2) {
      words[word]! |= body[offset + k]! << shift;
    }
  }
}

/** `(raw >> 1) ^ -(raw & 1)` of each value. */
export function unzigzag(words: Int32Array): void {
  for (let index = 0; index < words.length; index += 2) {
    const low = words[index]!;
    const high = words[index + 1]!;
    const sign = -(low & 1);
    words[index] = ((low >>> 1) | (high << 31)) ^ sign;
    words[index + 1] = (high >>> 1) ^ sign;
  }
}

/** Multiplies each value by `scale`. */
export function scaleWords(words: Int32Array, scale: bigint): void {
  const scaleLow = Number(scale & 0xffffffffn);
  const scaleHigh = Number(scale >> 32n) | 0;
  const scale0 = scaleLow & 0xffff;
  const scale1 = scaleLow >>> 16;
  for (let index = 0; index < words.length; index += 2) {
    const low = words[index]!;
    const value0 = low & 0xffff;
    const value1 = low >>> 16;
    // 16-bit limbs: each partial product stays below 2**53.
    const low0 = value0 * scale0;
    const middle = value1 * scale0 + value0 * scale1 + Math.floor(low0 / 65536);
    const carry = value1 * scale1 + Math.floor(middle / 65536);
    words[index] = (middle << 16) | (low0 & 0xffff);
    words[index + 1] = carry + Math.imul(words[index + 1]!, scaleLow | 0) + Math.imul(low, scaleHigh);
  }
}

/** Adds `base` to each value. */
export function addBase(words: Int32Array, base: bigint): void {
  const baseLow = Number(base & 0xffffffffn);
  const baseHigh = Number(base >> 32n);
  for (let index = 0; index < words.length; index += 2) {
    const low = (words[index]! >>> 0) + baseLow;
    words[index] = low;
    words[index + 1] = words[index + 1]! + baseHigh + (low >= WORD ? 1 : 0);
  }
}

/** Replaces each value by `base` and the sum of all values up to it. */
export function prefixSum(words: Int32Array, base: bigint): void {
  let low = Number(base & 0xffffffffn);
  let high = Number(base >> 32n);
  for (let index = 0; index < words.length; index += 2) {
    low += words[index]! >>> 0;
    let carry = 0;
    if (low >= WORD) {
      low -= WORD;
      carry = 1;
    }
    high = (high + words[index + 1]! + carry) | 0;
    words[index] = low;
    words[index + 1] = high;
  }
}
