/** Heads of the tables of metadata that events of a file share: a msgpack map, whose keys may be numbers. */

import { recordKey } from "../archive/keys";
import { FormatError } from "../pages/error";
import type { ArchivedRun } from "./archived-run";
import { ByteReader } from "./byte-reader";

const ENTRIES_PER_PAGE = 1024;

/** Place of the metadata of a number, and how its plane calls stats. */
export interface MetadataPlace {
  readonly page: number;
  readonly row: number;
  readonly names: ReadonlyMap<bigint, string>;
}

export interface MetadataTables {
  readonly entries: number;
  /** Throws FormatError for a number that there is not. */
  entry(number: number): MetadataPlace;
}

const kept = new WeakMap<ArchivedRun, Map<number, Promise<MetadataTables>>>();

/** The tables of a file, read once for a run. */
export function metadataTables(run: ArchivedRun, file: number): Promise<MetadataTables> {
  const byFile = kept.get(run) ?? new Map<number, Promise<MetadataTables>>();
  kept.set(run, byFile);
  let tables = byFile.get(file);
  if (tables === undefined) {
    tables = run.content(recordKey("A", [BigInt(file)])!).then(decodeTables);
    byFile.set(file, tables);
    tables.catch(() => byFile.delete(file)); // read again by whoever wants them next
  }
  return tables;
}

function decodeTables(content: Uint8Array): MetadataTables {
  const head = unpacked(new ByteReader(content), 0);
  const member = (name: string): unknown => (head instanceof Map ? head.get(name) : undefined);
  const planes = planesOf(member("planes"));
  const plane = steps(member("plane"));
  const alike = steps(member("alike"));
  const entryOf = new Int32Array(alike.length);
  let entries = 0;
  for (let number = 0; number < alike.length; number++) {
    const first = alike[number]!;
    if (first < 0 || first > number) {
      throw new FormatError("tables of metadata that is like other than there is");
    }
    entryOf[number] = first === number ? entries++ : entryOf[first]!;
  }
  return {
    entries,
    entry: (number) => {
      const names = planes[plane[number] ?? -1];
      const entry = entryOf[number];
      if (names === undefined || entry === undefined) {
        throw new FormatError(`there is no metadata ${number}`);
      }
      return { page: Math.floor(entry / ENTRIES_PER_PAGE), row: entry % ENTRIES_PER_PAGE, names };
    },
  };
}

function planesOf(planes: unknown): ReadonlyMap<bigint, string>[] {
  if (!Array.isArray(planes)) {
    throw new FormatError("tables of metadata without planes");
  }
  return planes.map((plane: unknown) => {
    const names: unknown = Array.isArray(plane) ? plane[1] : undefined;
    const entries = names instanceof Map ? [...names] : [];
    return new Map(entries.map(([id, name]): [bigint, string] => [BigInt(id as bigint | number), String(name)]));
  });
}

/** A column of int32, each value minus the one before. */
function steps(packed: unknown): Int32Array {
  if (!(packed instanceof Uint8Array)) {
    throw new FormatError("tables of metadata without columns");
  }
  const values = new Int32Array(packed.slice().buffer, 0, packed.length >> 2);
  for (let k = 1; k < values.length; k++) {
    values[k]! += values[k - 1]!;
  }
  return values;
}

const MAX_DEPTH = 8;

/** A value of msgpack: numbers without fractions as bigint, maps as Map. Throws FormatError. */
function unpacked(reader: ByteReader, depth: number): unknown {
  if (depth > MAX_DEPTH) {
    throw new FormatError("a map of tables that is too deep");
  }
  const bigEndian = (size: number): bigint =>
    reader.take(size).reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  const text = (size: number): string => new TextDecoder().decode(reader.take(size));
  const list = (size: number): unknown[] => Array.from({ length: checked(size) }, () => unpacked(reader, depth + 1));
  const map = (size: number): Map<unknown, unknown> =>
    new Map(Array.from({ length: checked(size) }, () => [unpacked(reader, depth + 1), unpacked(reader, depth + 1)]));
  const tag = reader.number(1);
  if (tag < 0x80) {
    return BigInt(tag);
  }
  if (tag >= 0xe0) {
    return BigInt(tag - 256);
  }
  if (tag < 0xc0) {
    return tag < 0x90 ? map(tag & 15) : tag < 0xa0 ? list(tag & 15) : text(tag & 31);
  }
  switch (tag) {
    case 0xc0:
      return null;
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return reader.take(Number(bigEndian(2 ** (tag - 0xc4))));
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      return bigEndian(2 ** (tag - 0xcc));
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      return BigInt.asIntN(8 * 2 ** (tag - 0xd0), bigEndian(2 ** (tag - 0xd0)));
    case 0xd9:
    case 0xda:
    case 0xdb:
      return text(Number(bigEndian(2 ** (tag - 0xd9))));
    case 0xdc:
    case 0xdd:
      return list(Number(bigEndian(2 ** (tag - 0xdb))));
    case 0xde:
    case 0xdf:
      return map(Number(bigEndian(2 ** (tag - 0xdd))));
    default:
      throw new FormatError(`a map of tables with the byte ${tag}`);
  }
}

function checked(count: number): number {
  if (count > 1 << 24) {
    throw new FormatError("a map of tables with too many members");
  }
  return count;
}
