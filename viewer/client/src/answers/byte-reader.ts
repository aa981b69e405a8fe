/** Reads numbers of bytes one after the other, and never beyond their end. */

import { FormatError } from "../pages/error";

const MAX_VARINT_BYTES = 10;

export class ByteReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** The next bytes, not copied. Throws FormatError. */
  take(size: number): Uint8Array {
    if (!(size >= 0 && size <= this.#bytes.length - this.#position)) {
      throw new FormatError("cut short");
    }
    this.#position += size;
    return this.#bytes.subarray(this.#position - size, this.#position);
  }

  /** All that is left. */
  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#position);
  }

  /** A little-endian number without a sign, of up to 6 bytes. */
  number(size: number): number {
    return this.take(size).reduceRight((value, byte) => value * 256 + byte, 0);
  }

  /** The same of up to 8 bytes. */
  wideNumber(size: number): bigint {
    return this.take(size).reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
  }

  /** A number of protobuf, of 64 bits without a sign. */
  varint(): bigint {
    let value = 0n;
    for (let k = 0; k < MAX_VARINT_BYTES; k++) {
      const byte = this.take(1)[0]!;
      value |= BigInt(byte & 0x7f) << BigInt(7 * k);
      if (byte < 0x80) {
        return BigInt.asUintN(64, value);
      }
    }
    throw new FormatError("varint of more than 10 bytes");
  }

  /** A varint that is a size, or a count of things that take a byte each at least. */
  size(): number {
    return Number(this.varint());
  }

  /** A column of numbers, its lowest bytes first. */
  planes(count: number, width: number): number[] {
    const values = new Array<number>(count).fill(0);
    for (let plane = 0; plane < width; plane++) {
      const part = this.take(count);
      for (let k = 0; k < count; k++) {
        values[k]! += part[k]! * 256 ** plane;
      }
    }
    return values;
  }

  /** The same of numbers of up to 8 bytes. */
  widePlanes(count: number, width: number): bigint[] {
    const values = new Array<bigint>(count).fill(0n);
    for (let plane = 0; plane < width; plane++) {
      const part = this.take(count);
      for (let k = 0; k < count; k++) {
        values[k]! |= BigInt(part[k]!) << BigInt(8 * plane);
      }
    }
    return values;
  }
}

/** A zigzag number of 64 bits. */
export function unfolded(code: bigint): bigint {
  return (code >> 1n) ^ -(code & 1n);
}
