/** An open archive: records by their keys, read in ranges. */

import { FormatError } from "../pages/error";
import { crc32 } from "./crc32";
import { BOOT, type Directory, LEAF, lastAtMost, ROOT, readDirectory } from "./directory";
import { type ArchiveHeader, type ByteRange, ENTRIES_PER_LEAF, parseHeader, recordRange } from "./header";
import { MAX_INFLATED_BYTES } from "./inflate";
import { HEAD_BYTES, RangeReader, type ReadRange } from "./range-reader";
import { RecordCache } from "./record-cache";

const MAX_DIRECTORY_BYTES = 1 << 20;
/** The rest of the boot records is one request up to this size: ten times what is written. */
const MOST_BOOT_BYTES = 8 << 20;
const KEPT_LEAVES = 64;
/** Bytes of records that are kept. Decoded pages are kept elsewhere; this is for what several of them are made of, and for what is looked at again. */
const KEPT_BYTES = 32 << 20;
/** A record that is longer is read in no case: ranges that are on their way at the same time take four times as much. */
const MAX_STORED_BYTES = MAX_INFLATED_BYTES;

/** A record with its key. */
export interface Entry {
  readonly key: string;
  readonly value: Uint8Array<ArrayBuffer>;
}

/** All methods reject with FormatError, with ArchiveChanged, and with what the reader of ranges rejects with. */
export class Archive {
  readonly header: ArchiveHeader;
  readonly #ranges: RangeReader;
  readonly #root: Directory;
  readonly #boot: Directory;
  readonly #records = new RecordCache<Uint8Array<ArrayBuffer> | null>((value) => value?.length ?? 0, KEPT_BYTES);
  /** Least recently used first. */
  readonly #leaves = new Map<number, Promise<Directory>>();
  /** The rest of the boot records, which a first screen needs: they come in one range. */
  #bootRest: Promise<Uint8Array<ArrayBuffer>> | null = null;

  /** An archive of the parts that `open` has read. */
  constructor(ranges: RangeReader, directories: { header: ArchiveHeader; root: Directory; boot: Directory }) {
    this.#ranges = ranges;
    this.header = directories.header;
    this.#root = directories.root;
    this.#boot = directories.boot;
  }

  /** Opens the archive that a function reads. */
  static async open(read: ReadRange): Promise<Archive> {
    const ranges = new RangeReader(read, await read({ start: 0, stop: HEAD_BYTES }));
    const header = parseHeader(ranges.head);
    checkFile(header, ranges.fileBytes);
    const section = async (range: ByteRange, crc: number): Promise<Uint8Array<ArrayBuffer>> => {
      checkSize(range);
      const bytes = await ranges.bytes(range);
      if (crc32(bytes) !== crc) {
        throw new FormatError("a directory of the archive was altered");
      }
      return bytes;
    };
    const { leaves, boot: bootRecords } = header;
    const leafCount = Math.ceil(header.records / ENTRIES_PER_LEAF);
    const members = await Promise.all([
      section(header.root, header.rootCrc),
      section(header.bootDirectory, header.bootDirectoryCrc),
    ]);
    const [root, boot] = await Promise.all([
      readDirectory(members[0], ROOT, leafCount, leaves.stop - leaves.start),
      readDirectory(members[1], BOOT, header.bootRecords, bootRecords.stop - bootRecords.start),
    ]);
    return new Archive(ranges, { header, root, boot });
  }

  /** The value of a record; null where there is none. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#records.get(key, async () => {
      const boot = rangeIn(this.header, this.#boot, key);
      const range = boot ?? (await this.#rangeInLeaf(key));
      if (range !== null && range.stop - range.start > MAX_STORED_BYTES) {
        throw new FormatError(`a record of ${range.stop - range.start} bytes is more than a page reads`);
      }
      return range === null ? null : checkedValue(key, await this.#bytes(range));
    });
  }

  /** The record with the greatest key that is at most this one, if it begins with `prefix`; else null. */
  async lastAtMost(key: string, prefix: string): Promise<Entry | null> {
    const number = lastAtMost(this.#root, key);
    if (number < 0) {
      return null;
    }
    const leaf = await this.#leaf(number);
    const last = leaf.keys[lastAtMost(leaf, key)]!;
    return last.startsWith(prefix) ? { key: last, value: (await this.get(last))! } : null;
  }

  /** The keys from one on, as long as they begin with `prefix`; at most `limit`. */
  async keys(first: string, prefix: string, limit: number): Promise<readonly string[]> {
    const keys: string[] = [];
    for (let number = Math.max(0, lastAtMost(this.#root, first)); number < this.#root.keys.length; number++) {
      const leaf = await this.#leaf(number);
      const before = lastAtMost(leaf, first);
      for (let row = before >= 0 && leaf.keys[before] === first ? before : before + 1; row < leaf.keys.length; row++) {
        if (!leaf.keys[row]!.startsWith(prefix) || keys.length >= limit) {
          return keys;
        }
        keys.push(leaf.keys[row]!);
      }
    }
    return keys;
  }

  async #bytes(range: ByteRange): Promise<Uint8Array<ArrayBuffer>> {
    const { boot } = this.header;
    const start = Math.max(boot.start, this.#ranges.head.length);
    if (range.start < start || range.stop > boot.stop || boot.stop - start > MOST_BOOT_BYTES) {
      return this.#ranges.bytes(range);
    }
    this.#bootRest ??= this.#ranges.bytes({ start, stop: boot.stop });
    this.#bootRest.catch(() => {
      this.#bootRest = null; // asked for again by whoever wants it next
    });
    return (await this.#bootRest).slice(range.start - start, range.stop - start);
  }

  async #rangeInLeaf(key: string): Promise<ByteRange | null> {
    const number = lastAtMost(this.#root, key);
    return number < 0 ? null : rangeIn(this.header, await this.#leaf(number), key);
  }

  #leaf(number: number): Promise<Directory> {
    const leaf = this.#leaves.get(number) ?? this.#readLeaf(number);
    this.#leaves.delete(number);
    this.#leaves.set(number, leaf);
    leaf.catch(() => this.#leaves.delete(number)); // asked for again by whoever wants it next
    for (const oldest of this.#leaves.keys()) {
      if (this.#leaves.size <= KEPT_LEAVES) {
        break;
      }
      this.#leaves.delete(oldest);
    }
    return leaf;
  }

  async #readLeaf(number: number): Promise<Directory> {
    const { boot, data, leaves, records } = this.header;
    const start = leaves.start + this.#root.starts[number]!;
    const range = { start, stop: start + this.#root.sizes[number]! };
    checkSize(range);
    const entries = Math.min(ENTRIES_PER_LEAF, records - number * ENTRIES_PER_LEAF);
    const end = boot.stop - boot.start + data.stop - data.start;
    const leaf = await readDirectory(await this.#ranges.bytes(range), LEAF, entries, end);
    const following = this.#root.keys[number + 1];
    if (leaf.keys[0] !== this.#root.keys[number] || (following !== undefined && leaf.keys.at(-1)! >= following)) {
      throw new FormatError("a leaf has other keys than the root says");
    }
    return leaf;
  }
}

function rangeIn(header: ArchiveHeader, directory: Directory, key: string): ByteRange | null {
  const row = lastAtMost(directory, key);
  return row < 0 || directory.keys[row] !== key
    ? null
    : recordRange(header, directory.starts[row]!, directory.sizes[row]!);
}

function checkFile({ sizeBytes }: ArchiveHeader, fileBytes: number | null): void {
  if (fileBytes !== null && fileBytes !== sizeBytes) {
    const what = fileBytes < sizeBytes ? "is cut short" : "has bytes behind its end";
    throw new FormatError(`the archive ${what}: ${fileBytes} bytes, not ${sizeBytes}`);
  }
}

function checkSize({ start, stop }: ByteRange): void {
  if (stop - start > MAX_DIRECTORY_BYTES) {
    throw new FormatError("a directory of impossible size");
  }
}

function checkedValue(key: string, record: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const value = record.slice(4);
  const keyBytes = Uint8Array.from(key, (character) => character.charCodeAt(0));
  if (crc32(value, crc32(keyBytes)) !== new DataView(record.buffer, record.byteOffset).getUint32(0, true)) {
    throw new FormatError("a record of the archive was altered");
  }
  return value;
}
