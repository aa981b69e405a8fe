/** The header of an archive: sections follow each other without gaps, so that their sizes say where they lie. */

import { FormatError } from "../pages/error";
import { crc32 } from "./crc32";

const MAGIC = "TSAR\r\n\x1a\n";
const VERSION = 2;
const BUILD_BYTES = 24;

export const HEADER_BYTES = 128;
export const ENTRIES_PER_LEAF = 4096;
const MAX_RECORDS = 65536 * ENTRIES_PER_LEAF;

/** Bytes from `start`, up to `stop` without it. */
export interface ByteRange {
  readonly start: number;
  readonly stop: number;
}

export interface ArchiveHeader {
  readonly storeVersion: number;
  readonly sizeBytes: number;
  readonly build: string;
  readonly records: number;
  readonly bootRecords: number;
  readonly root: ByteRange;
  readonly bootDirectory: ByteRange;
  readonly boot: ByteRange;
  readonly leaves: ByteRange;
  readonly data: ByteRange;
  readonly rootCrc: number;
  readonly bootDirectoryCrc: number;
}

/** The header that a file begins with. Throws FormatError. */
export function parseHeader(bytes: Uint8Array): ArchiveHeader {
  if (String.fromCharCode(...bytes.subarray(0, MAGIC.length)) !== MAGIC) {
    throw new FormatError("not an archive of a run: wrong magic bytes");
  }
  if (bytes.length < HEADER_BYTES) {
    throw new FormatError(`an archive of ${bytes.length} bytes has no header`);
  }
  const data = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const version = data.getUint16(8, true);
  if (version !== VERSION) {
    const advice = version > VERSION ? "this takes a newer viewer" : "write it again with `tilescope archive`";
    throw new FormatError(`an archive of version ${version}, and this viewer reads version ${VERSION}: ${advice}`);
  }
  if (crc32(bytes.subarray(0, HEADER_BYTES - 4)) !== data.getUint32(HEADER_BYTES - 4, true)) {
    throw new FormatError("the header of the archive is damaged");
  }
  const number = (offset: number): number => {
    const value = data.getBigUint64(offset, true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new FormatError("the header of the archive has impossible numbers");
    }
    return Number(value);
  };
  const sections: ByteRange[] = [];
  let position = HEADER_BYTES;
  for (const offset of [64, 72, 80, 88, 96]) {
    const start = position;
    position += number(offset);
    sections.push({ start, stop: position });
  }
  const sizeBytes = number(16);
  const records = number(48);
  const bootRecords = number(56);
  if (data.getUint32(12, true) !== ENTRIES_PER_LEAF || records > MAX_RECORDS || bootRecords > ENTRIES_PER_LEAF) {
    throw new FormatError("the archive has an impossible number of records");
  }
  if (position !== sizeBytes) {
    throw new FormatError("the sections of the archive do not add up to its size");
  }
  const [root, bootDirectory, boot, leaves, rest] = sections as [ByteRange, ByteRange, ByteRange, ByteRange, ByteRange];
  return {
    storeVersion: data.getUint16(10, true),
    sizeBytes,
    build: String.fromCharCode(...bytes.subarray(24, 24 + BUILD_BYTES)).replace(/\0+$/, ""),
    records,
    bootRecords,
    root,
    bootDirectory,
    boot,
    leaves,
    data: rest,
    rootCrc: data.getUint32(104, true),
    bootDirectoryCrc: data.getUint32(108, true),
  };
}

/** The bytes of a record. Places count all records one after the other, boot records first. Throws FormatError. */
export function recordRange({ boot, data }: ArchiveHeader, start: number, size: number): ByteRange {
  const bootBytes = boot.stop - boot.start;
  const shift = start < bootBytes ? boot.start : data.start - bootBytes;
  const range = { start: start + shift, stop: start + shift + size };
  if (range.start < boot.stop && range.stop > boot.stop) {
    throw new FormatError("a record runs over the end of its section");
  }
  return range;
}
