/** An open archive: records by their keys, read in ranges. */

import { FormatError } from "../pages/error";
import { crc32 } from "./crc32";
import { BOOT, type Directory, LEAF, lastAtMost, ROOT, readDirectory } from "./directory";
import { type ArchiveHeader, type ByteRange, ENTRIES_PER_LEAF, parseHeader, recordRange } from "./header";

/** Header, root, boot directory and, of a small run, all of the boot records. */
export const HEAD_BYTES = 65536;

const MAX_DIRECTORY_BYTES = 1 << 20;
const KEPT_LEAVES = 64;

/** Bytes of a range, fewer at the end of the file; `etag`: of the file, null where the host tells none. */
export interface RangeAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string | null;
}

export type ReadRange = (range: ByteRange) => Promise<RangeAnswer>;

/** The file was replaced since it was opened: whoever reads it opens it again. */
export class ArchiveChanged extends Error {
  override readonly name = "ArchiveChanged";
}

export class Archive {
  readonly header: ArchiveHeader;
  readonly etag: string | null;
  readonly #read: ReadRange;
  readonly #head: Uint8Array<ArrayBuffer>;
  readonly #root: Directory;
  readonly #boot: Directory;
  /** Least recently used first. */
  readonly #leaves = new Map<number, Promise<Directory>>();

  /** An archive of the parts that `open` has read. */
  constructor(
    read: ReadRange,
    head: RangeAnswer,
    directories: { header: ArchiveHeader; root: Directory; boot: Directory },
  ) {
    this.#read = read;
    this.#head = head.bytes;
    this.etag = head.etag;
    this.header = directories.header;
    this.#root = directories.root;
    this.#boot = directories.boot;
  }

  /** Opens the archive that a function reads. Rejects with FormatError, and with what `read` rejects with. */
  static async open(read: ReadRange): Promise<Archive> {
    const head = await read({ start: 0, stop: HEAD_BYTES });
    const header = parseHeader(head.bytes);
    const section = async (range: ByteRange, crc: number): Promise<Uint8Array<ArrayBuffer>> => {
      checkSize(range);
      const bytes = await readWhole(read, head, range);
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
    return new Archive(read, head, { header, root, boot });
  }

  /** The value of a record; null where there is none. Rejects with FormatError, ArchiveChanged. */
  async get(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const boot = rangeIn(this.header, this.#boot, key);
    const range = boot ?? (await this.#rangeInLeaf(key));
    return range === null ? null : checkedValue(key, await readWhole(this.#read, this, range, this.#head));
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
    const leaf = await readDirectory(await readWhole(this.#read, this, range, this.#head), LEAF, entries, end);
    if (leaf.keys[0] !== this.#root.keys[number]) {
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

function checkSize({ start, stop }: ByteRange): void {
  if (stop - start > MAX_DIRECTORY_BYTES) {
    throw new FormatError("a directory of impossible size");
  }
}

async function readWhole(
  read: ReadRange,
  opened: { readonly etag: string | null; readonly bytes?: Uint8Array<ArrayBuffer> },
  range: ByteRange,
  head: Uint8Array<ArrayBuffer> | undefined = opened.bytes,
): Promise<Uint8Array<ArrayBuffer>> {
  if (head !== undefined && range.stop <= head.length) {
    return head.slice(range.start, range.stop);
  }
  const { bytes, etag } = await read(range);
  if (etag !== opened.etag) {
    throw new ArchiveChanged("the archive was replaced while it was open");
  }
  if (bytes.length !== range.stop - range.start) {
    throw new FormatError(`the archive is cut short at byte ${range.start + bytes.length}`);
  }
  return bytes;
}

function checkedValue(key: string, record: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const value = record.slice(4);
  const keyBytes = Uint8Array.from(key, (character) => character.charCodeAt(0));
  if (crc32(value, crc32(keyBytes)) !== new DataView(record.buffer, record.byteOffset).getUint32(0, true)) {
    throw new FormatError("a record of the archive was altered");
  }
  return value;
}
