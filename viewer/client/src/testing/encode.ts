/** Encoder of the column container, written from docs/page-format.md alone: what the decoder is tested against. */

export interface ColumnInput {
  readonly id: number;
  readonly values: readonly bigint[];
  readonly delta?: boolean;
  readonly zigzag?: boolean;
  readonly scale?: bigint;
  readonly base?: bigint;
}

export interface FloatColumnInput {
  readonly id: number;
  readonly floats: readonly number[];
}

export interface ContainerInput {
  readonly magic: "TSPG" | "TSRD" | "TSSH" | "TSOV";
  readonly level: number;
  readonly block: number;
  readonly tileCount: number;
  readonly columns: readonly (ColumnInput | FloatColumnInput)[];
}

interface EncodedColumn {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

export function encodeContainer(input: ContainerInput): Uint8Array<ArrayBuffer> {
  const columns = input.columns.map((column) => ("floats" in column ? encodeFloats(column) : encodeInts(column)));
  const head = new DataView(new ArrayBuffer(16));
  [...input.magic].forEach((letter, k) => {
    head.setUint8(k, letter.charCodeAt(0));
  });
  head.setUint8(4, 1);
  head.setUint8(5, input.level);
  head.setUint16(6, columns.length, true);
  head.setUint32(8, input.tileCount, true);
  head.setUint32(12, input.block, true);
  return joined([
    new Uint8Array(head.buffer),
    ...columns.map((column) => column.header),
    ...columns.map((column) => column.body),
  ]);
}

function encodeInts({ id, values, delta = false, zigzag = false, scale = 1n, base = 0n }: ColumnInput): EncodedColumn {
  let before = base;
  const raw = values.map((value) => {
    const steps = BigInt.asIntN(64, value - before) / scale;
    before = delta ? value : base;
    return BigInt.asUintN(64, zigzag ? (steps << 1n) ^ (steps >> 63n) : steps);
  });
  const planes = planesFor(raw);
  const flags = (delta ? 1 : 0) | (zigzag ? 2 : 0);
  return { header: columnHeader(id, planes, flags, values.length, base, scale), body: encodePlanes(raw, planes) };
}

function encodeFloats({ id, floats }: FloatColumnInput): EncodedColumn {
  const raw = [...new BigUint64Array(new Float64Array(floats).buffer)];
  const planes = raw.every((bits) => bits === 0n) ? 0 : 8;
  return { header: columnHeader(id, planes, 4, floats.length, 0n, 1n), body: encodePlanes(raw, planes) };
}

function columnHeader(id: number, planes: number, flags: number, n: number, base: bigint, scale: bigint): Uint8Array {
  const header = new DataView(new ArrayBuffer(24));
  header.setUint8(0, id);
  header.setUint8(1, planes);
  header.setUint8(2, flags);
  header.setUint32(4, n, true);
  header.setBigInt64(8, base, true);
  header.setBigUint64(16, scale, true);
  return new Uint8Array(header.buffer);
}

function planesFor(raw: readonly bigint[]): number {
  const bits = raw.reduce((all, value) => all | value, 0n);
  return bits === 0n ? 0 : Math.ceil(bits.toString(2).length / 8);
}

function encodePlanes(raw: readonly bigint[], planes: number): Uint8Array {
  const body = new Uint8Array(planes * raw.length);
  for (let plane = 0; plane < planes; plane++) {
    raw.forEach((value, k) => {
      body[plane * raw.length + k] = Number((value >> BigInt(8 * plane)) & 0xffn);
    });
  }
  return body;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}
