/**
 * The msgpack that messages of the stream are written in: numbers, texts, lists and maps, without extensions.
 *
 * The package for all of msgpack is ten times as long, a tenth of what a browser loads before the first picture.
 */

import { FormatError } from "../pages/error";

/** Values that messages to the server are made of; numbers are whole and not negative. */
export type Packable = number | string | readonly Packable[] | { readonly [key: string]: Packable };

/** Lists in lists, or maps, as deep as no message has them. */
const MAX_DEPTH = 16;

/** The bytes of a message. */
export function pack(value: Packable): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  put(bytes, value);
  return Uint8Array.from(bytes);
}

function put(bytes: number[], value: Packable): void {
  if (typeof value === "number") {
    putNumber(bytes, value);
  } else if (typeof value === "string") {
    const text = new TextEncoder().encode(value);
    putHead(bytes, text.length, 0xa0, 32, 0xda);
    bytes.push(...text);
  } else if (isList(value)) {
    putHead(bytes, value.length, 0x90, 16, 0xdc);
    for (const item of value) {
      put(bytes, item);
    }
  } else {
    const entries = Object.entries(value);
    putHead(bytes, entries.length, 0x80, 16, 0xde);
    for (const [key, item] of entries) {
      put(bytes, key);
      put(bytes, item);
    }
  }
}

function isList(value: Packable): value is readonly Packable[] {
  return Array.isArray(value);
}

function putNumber(bytes: number[], value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new FormatError(`a message cannot have the number ${value}`);
  }
  if (value < 0x80) {
    bytes.push(value);
  } else if (value < 2 ** 32) {
    bytes.push(0xce, ...bigEndian(value));
  } else {
    bytes.push(0xcf, ...bigEndian(Math.floor(value / 2 ** 32)), ...bigEndian(value % 2 ** 32));
  }
}

/** The length of a text, list or map: in one byte where it is short, else in `wide` and the two bytes behind it. */
function putHead(bytes: number[], length: number, short: number, shortBelow: number, wide: number): void {
  if (length < shortBelow) {
    bytes.push(short | length);
  } else if (length < 2 ** 16) {
    bytes.push(wide, length >> 8, length & 0xff);
  } else {
    throw new FormatError(`a message cannot have ${length} of something`);
  }
}

function bigEndian(value: number): readonly number[] {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
}

/** The first object of a frame; what is behind it is never looked at. Throws FormatError, or RangeError where it is cut off. */
export function unpackFirst(frame: ArrayBuffer): unknown {
  return new Unpacker(frame).value(0);
}

class Unpacker {
  readonly #view: DataView<ArrayBuffer>;
  #offset = 0;

  constructor(frame: ArrayBuffer) {
    this.#view = new DataView(frame);
  }

  value(depth: number): unknown {
    const tag = this.#take(1, (offset) => this.#view.getUint8(offset));
    if (tag < 0x80) {
      return tag;
    }
    if (tag >= 0xe0) {
      return tag - 0x100;
    }
    if (tag < 0xc0) {
      return tag < 0x90
        ? this.#map(tag & 0x0f, depth)
        : tag < 0xa0
          ? this.#list(tag & 0x0f, depth)
          : this.#text(tag & 0x1f);
    }
    const view = this.#view;
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xca:
        return this.#take(4, (offset) => view.getFloat32(offset));
      case 0xcb:
        return this.#take(8, (offset) => view.getFloat64(offset));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#whole(tag - 0xcc);
      case 0xcf:
        return this.#take(8, (offset) => Number(view.getBigUint64(offset)));
      case 0xd0:
        return this.#take(1, (offset) => view.getInt8(offset));
      case 0xd1:
        return this.#take(2, (offset) => view.getInt16(offset));
      case 0xd2:
        return this.#take(4, (offset) => view.getInt32(offset));
      case 0xd3:
        return this.#take(8, (offset) => Number(view.getBigInt64(offset)));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#whole(tag - 0xd9));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#whole(tag - 0xdb), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#whole(tag - 0xdd), depth);
      default:
        throw new FormatError(`a message has the byte ${tag}, which is no number, text, list or map`);
    }
  }

  /** A whole number of 1, 2 or 4 bytes: 2 to the power of `size`. */
  #whole(size: number): number {
    const view = this.#view;
    return this.#take(2 ** size, (offset) =>
      size === 0 ? view.getUint8(offset) : size === 1 ? view.getUint16(offset) : view.getUint32(offset),
    );
  }

  #take<T>(size: number, read: (offset: number) => T): T {
    const value = read(this.#offset);
    this.#offset += size;
    return value;
  }

  #text(length: number): string {
    return this.#take(length, (offset) => new TextDecoder().decode(new Uint8Array(this.#view.buffer, offset, length)));
  }

  #list(length: number, depth: number): unknown[] {
    this.#checkDepth(depth);
    const list: unknown[] = [];
    while (list.length < length) {
      list.push(this.value(depth + 1));
    }
    return list;
  }

  #map(length: number, depth: number): Record<string, unknown> {
    this.#checkDepth(depth);
    // Without a prototype: `__proto__` is a key as any other.
    const map: Record<string, unknown> = Object.create(null);
    for (let k = 0; k < length; k++) {
      const key = this.value(depth + 1);
      if (typeof key !== "string") {
        throw new FormatError("a message has a key that is no text");
      }
      map[key] = this.value(depth + 1);
    }
    return map;
  }

  #checkDepth(depth: number): void {
    if (depth >= MAX_DEPTH) {
      throw new FormatError("a message has lists in lists without end");
    }
  }
}
