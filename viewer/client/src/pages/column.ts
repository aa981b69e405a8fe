/**
 * One decoded column of a container.
 *
 * An integer column keeps its exact 64-bit values in one buffer with two views: as BigInts for the few values that are
 * shown to people, as 32-bit words for the bulk work, which never creates a BigInt per value. (All platforms that run
 * browsers are little-endian, as is the format.)
 */

import { FormatError } from "./error";

export class IntColumn {
  readonly kind = "int";
  readonly length: number;
  readonly values: BigInt64Array;
  /** The same memory: the low word of value k is at 2k, the high word at 2k + 1. */
  readonly #words: Int32Array;

  constructor(values: BigInt64Array) {
    this.values = values;
    this.length = values.length;
    this.#words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  }

  /** The values as doubles; exact up to 2**53. */
  toFloat64(): Float64Array {
    const { length } = this;
    const words = this.#words;
    const out = new Float64Array(length);
    for (let k = 0; k < length; k++) {
      out[k] = words[2 * k + 1]! * 4294967296 + (words[2 * k]! >>> 0);
    }
    return out;
  }

  /**
   * Values `from` to `to` minus `base`, written to the same places of `out`. Returns whether all are exact, that is,
   * at most 2**53 from the base.
   */
  subtract(base: bigint, from: number, to: number, out: Float64Array): boolean {
    const words = this.#words;
    const baseLow = Number(base & 0xffffffffn);
    const baseHigh = Number(base >> 32n);
    let exact = true;
    for (let k = from; k < to; k++) {
      const value = (words[2 * k + 1]! - baseHigh) * 4294967296 + ((words[2 * k]! >>> 0) - baseLow);
      out[k] = value;
      exact = exact && value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER;
    }
    return exact;
  }

  /** The values as unsigned integers of at most `max`. Throws FormatError when one is not in the range. */
  toUint32(what: string, max = 0xffffffff): Uint32Array {
    return this.#narrow(new Uint32Array(this.length), what, max);
  }

  /** The values as ids of names; -1 as `noName`. Throws FormatError for others that are no unsigned integers. */
  toNames(what: string, noName: number): Uint32Array {
    const words = this.#words;
    const out = new Uint32Array(this.length);
    for (let k = 0; k < this.length; k++) {
      const isNone = words[2 * k] === -1 && words[2 * k + 1] === -1;
      if (words[2 * k + 1] !== 0 && !isNone) {
        throw new FormatError(`${what} ${this.values[k]} is no id of a name (value ${k})`);
      }
      out[k] = isNone ? noName : words[2 * k]!;
    }
    return out;
  }

  toUint8(what: string, max = 0xff): Uint8Array {
    return this.#narrow(new Uint8Array(this.length), what, max);
  }

  #narrow<T extends Uint8Array | Uint32Array>(out: T, what: string, max: number): T {
    const { length } = this;
    const words = this.#words;
    for (let k = 0; k < length; k++) {
      const low = words[2 * k]! >>> 0;
      if (words[2 * k + 1] !== 0 || low > max) {
        throw new FormatError(`${what} ${this.values[k]} is not in 0..${max} (value ${k})`);
      }
      out[k] = low;
    }
    return out;
  }
}

export class FloatColumn {
  readonly kind = "float";
  readonly length: number;
  readonly values: Float64Array;

  constructor(values: Float64Array) {
    this.values = values;
    this.length = values.length;
  }
}

export type Column = IntColumn | FloatColumn;
