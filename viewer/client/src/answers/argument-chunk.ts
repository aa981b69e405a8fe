/** Chunks of arguments of neighbouring events (docs/page-format.md, Arguments of events): the bytes of one event. */

import { crc32 } from "../archive/crc32";
import { joined } from "../archive/joined";
import { FormatError } from "../pages/error";
import { ByteReader, unfolded } from "./byte-reader";

const ROWS = 0;
const CLASSES = 1;
const OPERATIONS = 2;
const SHAPES = 3;

/** Most events of a chunk, as it is written. */
const MOST_EVENTS = 8192;
/** Most bytes of the texts of one event, and most of their pieces: short references may stand for long shapes. */
const MOST_TEXT = 1 << 24;
const NANOSECOND = 1000n;

/** Durations of some operations of a track on their device, from an event on, in picoseconds. */
export type DurationsOf = (first: number, count: number) => Promise<BigInt64Array>;

/** The arguments of event `index` of a chunk, as its reader found them. Rejects with FormatError. */
export async function argumentsOfChunk(
  content: Uint8Array,
  index: number,
  first: number,
  durations: DurationsOf,
): Promise<Uint8Array> {
  const reader = new ByteReader(content);
  const [count, order, width] = [reader.number(4), reader.number(1), reader.number(1)];
  if (index >= count || count > MOST_EVENTS || width < 1 || width > 4) {
    throw new FormatError("a chunk of arguments is damaged");
  }
  const lengths = reader.planes(count, width);
  switch (order) {
    case ROWS: {
      const begin = sum(lengths.slice(0, index));
      return new ByteReader(reader.rest()).take(begin + lengths[index]!).subarray(begin);
    }
    case CLASSES:
      return ofClasses(reader, lengths, index);
    case OPERATIONS:
      return ofOperations(reader, lengths, index, await durations(first, count));
    case SHAPES:
      return ofShapes(reader, lengths, index);
    default:
      throw new FormatError("a chunk of arguments is damaged");
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Arguments of equal length stand together: the first bytes of all of them, then the second bytes. */
function ofClasses(reader: ByteReader, lengths: readonly number[], index: number): Uint8Array {
  const length = lengths[index]!;
  const shorter = sum(lengths.filter((other) => other < length));
  const alike = lengths.filter((other) => other === length).length;
  const place = lengths.slice(0, index).filter((other) => other === length).length;
  reader.take(shorter);
  const columns = reader.take(length * alike);
  return Uint8Array.from({ length }, (_, byte) => columns[byte * alike + place]!);
}

interface TakenStat {
  readonly tag: number;
  readonly id: bigint;
}

/** Arguments without the stats of two times: the duration is that of the operation's record, the begin is near the one before. */
function ofOperations(
  reader: ByteReader,
  lengths: readonly number[],
  index: number,
  durations: BigInt64Array,
): Uint8Array {
  const count = lengths.length;
  const checksum = reader.number(4);
  const taken = new ByteReader(reader.take(reader.number(4)));
  if (durations.length !== count || crc32(new Uint8Array(durations.slice().buffer)) !== checksum) {
    throw new FormatError("a chunk of arguments is of other operations");
  }
  const stat = (): TakenStat => ({ tag: taken.number(1), id: taken.wideNumber(8) });
  const stats = [stat(), stat()];
  let begin = taken.wideNumber(8);
  const width = taken.number(1);
  if (width > 8) {
    throw new FormatError("numbers of arguments are too wide");
  }
  const places = [taken.planes(count, 2), taken.planes(count, 2)];
  const rests = taken.planes(count, 2);
  const steps = taken.widePlanes(count, width);
  for (let k = 0; k <= index; k++) {
    if (places[1]![k] !== 0) {
      begin = BigInt.asUintN(64, begin + unfolded(steps[k]!) * NANOSECOND + BigInt(rests[k]!));
    }
  }
  const values = [BigInt.asUintN(64, durations[index]!), begin];
  const left = new ByteReader(ofClasses(reader, lengths, index));
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const which of places[0]![index]! <= places[1]![index]! ? [0, 1] : [1, 0]) {
    const place = places[which]![index]!;
    if (place !== 0) {
      const before = left.take(place - 1 - length);
      const written = Uint8Array.from(statBytes(stats[which]!, values[which]!));
      parts.push(before, written);
      length += before.length + written.length;
    }
  }
  return joined([...parts, left.rest()]);
}

/** A stat as encoders write it: the tag of an event's stat, its size, its id, and a varint. */
function statBytes({ tag, id }: TakenStat, value: bigint): number[] {
  const content = [0x08, ...varintBytes(id), tag, ...varintBytes(value)];
  return [0x22, ...varintBytes(BigInt(content.length)), ...content];
}

function varintBytes(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
  return [...bytes, Number(rest)];
}

/** Texts that differ in their numbers alone: a shape has a zero byte for each number. A length says how many texts there are. */
function ofShapes(reader: ByteReader, counts: readonly number[], index: number): Uint8Array {
  const shapes = Array.from({ length: checkedCount(reader.size()) }, () => piecesOf(reader.take(reader.size())));
  const before = shapes.map((pieces) => new Array<bigint>(pieces.length - 1).fill(0n));
  const parts: Uint8Array[] = [];
  let size = 0;
  const add = (part: Uint8Array): void => {
    size += part.length + 1;
    if (size > MOST_TEXT) {
      throw new FormatError("an event has arguments of impossible size");
    }
    parts.push(part);
  };
  const encoder = new TextEncoder();
  for (let event = 0; event <= index; event++) {
    const isIt = event === index;
    for (let text = 0; text < counts[event]!; text++) {
      const number = reader.size();
      if (number === 0) {
        const plain = reader.take(reader.size());
        if (isIt) {
          add(plain);
        }
        continue;
      }
      const pieces = shapes[number - 1];
      if (pieces === undefined) {
        throw new FormatError("a chunk of arguments is damaged");
      }
      const values = before[number - 1]!;
      for (let k = 0; k < values.length; k++) {
        values[k] = BigInt.asUintN(64, values[k]! + unfolded(reader.varint()));
      }
      if (isIt) {
        add(pieces[0]!);
        for (const [k, value] of values.entries()) {
          add(encoder.encode(String(value)));
          add(pieces[k + 1]!);
        }
      }
    }
  }
  return joined(parts);
}

function checkedCount(count: number): number {
  if (!(count <= 1 << 24)) {
    throw new FormatError("a chunk of arguments is damaged");
  }
  return count;
}

/** Pieces of a shape: before each number, and behind the last. */
function piecesOf(shape: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let begin = 0;
  for (let mark = shape.indexOf(0); mark >= 0; mark = shape.indexOf(0, begin)) {
    pieces.push(shape.subarray(begin, mark));
    begin = mark + 1;
  }
  return [...pieces, shape.subarray(begin)];
}
