/** Arguments of events of an XSpace: their own stats, completed by those of their metadata (docs/page-format.md). */

import { recordKey } from "../archive/keys";
import type { Argument, JsonValue } from "../base/schema";
import { FormatError } from "../pages/error";
import type { ArchivedRun } from "./archived-run";
import { ByteReader } from "./byte-reader";
import { type MetadataTables, metadataTables } from "./metadata-tables";

const ENTRIES_PER_PAGE = 1024;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

/** One event's arguments from their bytes: the event's own in order, then those of its metadata that it does not override. */
export async function xstatArguments(run: ArchivedRun, file: number, raw: Uint8Array): Promise<Argument[]> {
  if (raw.length === 0) {
    return [];
  }
  const tables = await metadataTables(run, file);
  const reader = new ByteReader(raw);
  const number = Number(reader.varint());
  const metadata = tables.entry(number);
  const [shared, longName] = await Promise.all([
    pageEntry(run, file, tables, 2 * metadata.page, 1, metadata.row),
    pageEntry(run, file, tables, 2 * metadata.page + 1, 2, metadata.row),
  ]);
  const own = stats(reader.rest(), metadata.names);
  const present = new Set(own.map(({ name }) => name));
  const others = stats(shared, metadata.names).filter(({ name }) => !present.has(name));
  const long = longName.length > 0 ? [{ name: "long_name", value: new TextDecoder().decode(longName) }] : [];
  return [...long, ...own, ...others];
}

/** The bytes of an entry in the last column of a page of the tables. */
async function pageEntry(
  run: ArchivedRun,
  file: number,
  tables: MetadataTables,
  page: number,
  columns: number,
  row: number,
): Promise<Uint8Array> {
  const reader = new ByteReader(await run.content(recordKey("E", [BigInt(file), BigInt(page)])!));
  const count = reader.number(4);
  const first = Math.floor(page / 2) * ENTRIES_PER_PAGE;
  if (count !== Math.min(ENTRIES_PER_PAGE, tables.entries - first)) {
    throw new FormatError(`a page of ${count} entries of metadata`);
  }
  let lengths: readonly number[] = [];
  let before = 0;
  for (let column = 0; column < columns; column++) {
    before += lengths.reduce((total, length) => total + length, 0);
    lengths = reader.planes(count, 4);
  }
  reader.take(before + lengths.slice(0, row).reduce((total, length) => total + length, 0));
  return reader.take(lengths[row]!);
}

/** The stats in the length-delimited fields of bytes, whatever their field number. What is damaged becomes one of that name. */
function stats(raw: Uint8Array, names: ReadonlyMap<bigint, string>): Argument[] {
  const list: Argument[] = [];
  try {
    for (const { value } of fields(raw)) {
      if (typeof value !== "bigint") {
        list.push(stat(value, names));
      }
    }
  } catch (error) {
    list.push({ name: "[damaged]", value: error instanceof Error ? error.message : String(error) });
  }
  return list;
}

function stat(raw: Uint8Array, names: ReadonlyMap<bigint, string>): Argument {
  let id = 0n;
  let read: JsonValue = null;
  for (const { number, value } of fields(raw)) {
    if (number === 1 && typeof value === "bigint") {
      id = BigInt.asIntN(64, value);
    } else if (number >= 2 && number <= 7) {
      read = valueOfField(number, value, names);
    }
  }
  return { name: names.get(id) || `[stat ${id}]`, value: read };
}

const INT64 = 4;
const DOUBLE = 2;
const TEXT = 5;
const REFERENCE = 7;

function valueOfField(number: number, value: bigint | Uint8Array, names: ReadonlyMap<bigint, string>): JsonValue {
  if (typeof value === "bigint") {
    const signed = BigInt.asIntN(64, value);
    if (number === REFERENCE) {
      return names.get(signed) ?? `[stat ${signed}]`;
    }
    return exactNumber(number === INT64 ? signed : value);
  }
  if (number === DOUBLE && value.length === 8) {
    const double = new DataView(value.buffer, value.byteOffset).getFloat64(0, true);
    return Number.isFinite(double) ? double : Number.isNaN(double) ? "nan" : double > 0 ? "inf" : "-inf";
  }
  return number === TEXT ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(value) : { bytes: value.length };
}

/** An integer as JSON has it: as text where a double does not hold it. */
export function exactNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** The fields of a message of protobuf, without groups. Throws FormatError. */
function* fields(raw: Uint8Array): Generator<Field> {
  const reader = new ByteReader(raw);
  let depth = 0;
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const wire = tag % 8;
    const number = Math.floor(tag / 8);
    if (wire === GROUP || wire === END_GROUP) {
      depth += wire === GROUP ? 1 : -1;
      if (depth < 0) {
        throw new FormatError("a group ends that has not begun");
      }
      continue;
    }
    const value = wire === VARINT ? reader.varint() : reader.take(sizeOf(wire, reader));
    if (depth === 0) {
      yield { number, value };
    }
  }
}

function sizeOf(wire: number, reader: ByteReader): number {
  switch (wire) {
    case BYTES:
      return reader.size();
    case FIXED64:
      return 8;
    case FIXED32:
      return 4;
    default:
      throw new FormatError(`wire type ${wire}`);
  }
}
