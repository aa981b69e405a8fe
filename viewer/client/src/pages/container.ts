/**
 * Decoder of the column container of docs/page-format.md.
 *
 * Opening reads and checks the headers alone; a column is decoded when it is asked for, so unknown columns cost
 * nothing. Whatever the bytes are, the result is a container or a FormatError, and no read is out of bounds.
 */

import { type Column, FloatColumn, IntColumn } from "./column";
import { FormatError } from "./error";
import { addBase, assembleWords, prefixSum, scaleWords, unzigzag } from "./transform";

/** Kinds of containers: of those that are not served, their magic. */
export type ContainerKind = "page" | "residual" | "shape" | "overview" | `TS${string}`;

const MAGIC: Record<string, ContainerKind> = {
  TSPG: "page",
  TSRD: "residual",
  TSSH: "shape",
  TSOV: "overview",
};
const VERSION = 1;
const HEADER_BYTES = 16;
const COLUMN_HEADER_BYTES = 24;
const FLAG_DELTA = 1;
const FLAG_ZIGZAG = 2;
const FLAG_FLOAT = 4;

/** A column without byte planes can claim any length for free; real ones stay far below this. */
const MAX_VALUES = 1 << 24;

interface ColumnHeader {
  readonly id: number;
  readonly planes: number;
  readonly flags: number;
  readonly length: number;
  readonly base: bigint;
  readonly scale: bigint;
  readonly bodyOffset: number;
}

export class Container {
  readonly kind: ContainerKind;
  readonly level: number;
  readonly block: number;
  readonly tileCount: number;
  readonly #bytes: Uint8Array;
  readonly #headers: ReadonlyMap<number, ColumnHeader>;

  /** Opens an inflated container. Throws FormatError. */
  constructor(bytes: Uint8Array) {
    if (bytes.length < HEADER_BYTES) {
      throw new FormatError(`a container of ${bytes.length} bytes has no header`);
    }
    const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const magic = String.fromCharCode(...bytes.subarray(0, 4));
    if (!isMagic(magic)) {
      throw new FormatError("not a column container: wrong magic bytes");
    }
    if (bytes[4] !== VERSION) {
      throw new FormatError(`container version ${bytes[4]} is not supported (expected ${VERSION})`);
    }
    this.kind = MAGIC[magic] ?? magic;
    this.level = data.getUint8(5);
    this.tileCount = data.getUint32(8, true);
    this.block = data.getUint32(12, true);
    this.#bytes = bytes;
    this.#headers = readHeaders(data, data.getUint16(6, true));
  }

  /** Number of values of a column; 0 where it was left out. */
  sizeOf(id: number): number {
    return this.#headers.get(id)?.length ?? 0;
  }

  /** True if the column is there and has values. */
  has(id: number): boolean {
    return this.sizeOf(id) > 0;
  }

  /** The column of that id with exactly `length` values. A column that was left out is empty. Throws FormatError. */
  ints(id: number, length: number): IntColumn {
    const column = this.#column(id, length);
    if (column.kind !== "int") {
      throw new FormatError(`column ${id} is not an integer column`);
    }
    return column;
  }

  floats(id: number, length: number): FloatColumn {
    const column = this.#column(id, length);
    if (column.kind === "float") {
      return column;
    }
    if (length > 0) {
      throw new FormatError(`column ${id} is not a float64 column`);
    }
    return new FloatColumn(new Float64Array(0));
  }

  #column(id: number, length: number): Column {
    const header = this.#headers.get(id);
    if (this.sizeOf(id) !== length) {
      throw new FormatError(`column ${id} has ${this.sizeOf(id)} values where ${length} are needed`);
    }
    return header === undefined ? new IntColumn(new BigInt64Array(0)) : decodeColumn(this.#bytes, header);
  }
}

function isMagic(text: string): text is `TS${string}` {
  return /^TS[A-Z]{2}$/.test(text);
}

function readHeaders(data: DataView, count: number): Map<number, ColumnHeader> {
  const headers = new Map<number, ColumnHeader>();
  let bodyOffset = HEADER_BYTES + count * COLUMN_HEADER_BYTES;
  if (bodyOffset > data.byteLength) {
    throw new FormatError(`${count} column headers do not fit in ${data.byteLength} bytes`);
  }
  for (let c = 0; c < count; c++) {
    const offset = HEADER_BYTES + c * COLUMN_HEADER_BYTES;
    const header: ColumnHeader = {
      id: data.getUint8(offset),
      planes: data.getUint8(offset + 1),
      flags: data.getUint8(offset + 2),
      length: data.getUint32(offset + 4, true),
      base: data.getBigInt64(offset + 8, true),
      scale: data.getBigUint64(offset + 16, true),
      bodyOffset,
    };
    checkHeader(header);
    if (headers.has(header.id)) {
      throw new FormatError(`column ${header.id} appears twice`);
    }
    headers.set(header.id, header);
    bodyOffset += header.planes * header.length;
    if (bodyOffset > data.byteLength) {
      throw new FormatError(`column ${header.id} ends at byte ${bodyOffset} of ${data.byteLength}`);
    }
  }
  if (bodyOffset !== data.byteLength) {
    throw new FormatError(`${data.byteLength - bodyOffset} bytes follow the last column`);
  }
  return headers;
}

function checkHeader({ id, planes, flags, length, scale }: ColumnHeader): void {
  if (planes > 8 || length > MAX_VALUES || scale < 1n) {
    throw new FormatError(`column ${id}: ${planes} planes, ${length} values, scale ${scale} is not a valid header`);
  }
  if ((flags & ~(FLAG_DELTA | FLAG_ZIGZAG | FLAG_FLOAT)) !== 0) {
    throw new FormatError(`column ${id}: unknown flags ${flags}`);
  }
  if ((flags & FLAG_FLOAT) !== 0 && planes !== 0 && planes !== 8) {
    throw new FormatError(`column ${id}: a float64 column has ${planes} planes`);
  }
}

function decodeColumn(bytes: Uint8Array, header: ColumnHeader): Column {
  const { planes, flags, length, base, scale } = header;
  const buffer = new ArrayBuffer(8 * length);
  const words = new Int32Array(buffer);
  const body = bytes.subarray(header.bodyOffset, header.bodyOffset + planes * length);
  assembleWords(body, planes, words);
  if ((flags & FLAG_FLOAT) !== 0) {
    return new FloatColumn(new Float64Array(buffer));
  }
  if ((flags & FLAG_ZIGZAG) !== 0) {
    unzigzag(words);
  }
  if (scale !== 1n) {
    scaleWords(words, scale);
  }
  if ((flags & FLAG_DELTA) !== 0) {
    prefixSum(words, base);
  } else if (base !== 0n) {
    addBase(words, base);
  }
  return new IntColumn(new BigInt64Array(buffer));
}
