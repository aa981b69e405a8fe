/** A run in an archive: its records as what they mean. */

import type { Archive } from "../archive/archive";
import { STORE_VERSION } from "../archive/columns";
import { inflateWithin, MAX_INFLATED_BYTES } from "../archive/inflate";
import { MANIFEST_KEY, namesKey, pageRecordKey, recordKey, residualKey, shapeKey, TRACKS_KEY } from "../archive/keys";
import { RecordCache } from "../archive/record-cache";
import type { ManifestJson, TrackTreeJson } from "../base/schema";
import { FormatError } from "../pages/error";
import { type PageKey, slotOf } from "../pages/key";
import { type DecodedPage, decodePage } from "../pages/page";
import { ShapeIndex } from "../pages/shape";

/** The manifest as it is stored: what the API says of a run, and what it does not. */
export interface StoredManifest {
  readonly public: ManifestJson;
  readonly files: readonly { readonly args_encoding: string }[];
  /** By track id; `file`: -1 of a rollup. */
  readonly tracks: readonly StoredTrack[];
  readonly answers?: readonly string[];
  readonly left_out?: readonly string[];
}

export interface StoredTrack {
  readonly kind: "async" | "counter" | "instant" | "rollup" | "slice";
  readonly file: number;
  readonly name: string;
  readonly events: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Decoded records that are looked at again, by the bytes that they were decoded from: they take some ten times as much. */
const KEPT_BYTES = 8 << 20;

/** Pages of names that a run may have. */
const MOST_NAME_PAGES = 1 << 16;

/** All methods reject with FormatError, and with what the archive rejects with. */
export class ArchivedRun {
  readonly archive: Archive;
  readonly #decoded = new RecordCache<Decoded<unknown>>(({ sizeBytes }) => sizeBytes, KEPT_BYTES);

  /** Throws FormatError for an archive whose records are of another version. */
  constructor(archive: Archive) {
    const { storeVersion } = archive.header;
    if (storeVersion !== STORE_VERSION) {
      const advice =
        storeVersion > STORE_VERSION ? "this takes a newer viewer" : "index the trace again, and archive it";
      throw new FormatError(
        `an archive of store version ${storeVersion}, and this viewer is of version ${STORE_VERSION}: ${advice}`,
      );
    }
    this.archive = archive;
  }

  get build(): string {
    return this.archive.header.build;
  }

  manifest(): Promise<StoredManifest> {
    return this.#decode(MANIFEST_KEY, (content) => {
      const manifest = parsed<StoredManifest>(content);
      if (typeof manifest.public !== "object" || manifest.public.build !== this.build) {
        throw new FormatError("the manifest of the archive is of another run");
      }
      const { count, page_size } = manifest.public.names;
      if (!(count >= 0 && page_size > 0 && count <= page_size * MOST_NAME_PAGES)) {
        throw new FormatError("the manifest of the archive has an impossible number of names");
      }
      return manifest;
    });
  }

  trackTree(): Promise<TrackTreeJson> {
    return this.#decode(TRACKS_KEY, (content) => withoutCycles(parsed<TrackTreeJson>(content)));
  }

  /** Names and categories by id, from `page * page_size` on. */
  names(page: number): Promise<readonly (readonly [string, string])[]> {
    return this.#decode(namesKey(page), parsed<readonly (readonly [string, string])[]>);
  }

  /** Name and category of an id; -1 is none. */
  async name(id: number): Promise<readonly [string, string]> {
    if (id < 0) {
      return ["[no name]", ""];
    }
    const { page_size } = (await this.manifest()).public.names;
    const entry = (await this.names(Math.floor(id / page_size)))[id % page_size];
    if (entry === undefined) {
      throw new FormatError(`the archive has no name ${id}`);
    }
    return entry;
  }

  shape(block: number): Promise<ShapeIndex> {
    return this.#decode(shapeKey(block), (content) => ShapeIndex.decode(content, block));
  }

  /** The content of a page; null where there is none. */
  async pageContent(key: PageKey): Promise<Bytes | null> {
    const record = await this.archive.get(pageRecordKey(key));
    if (record === null) {
      return null;
    }
    const size = record.length < 4 ? Number.NaN : new DataView(record.buffer, record.byteOffset).getUint32(0, true);
    if (size !== record.length - 4) {
      throw new FormatError("a page of the archive has another size than it says");
    }
    return await inflated(record.subarray(4));
  }

  /** The residual of a page, for exact bins; null where it has no bins. */
  residual(key: PageKey): Promise<Bytes | null> {
    return this.find(residualKey(key));
  }

  async page(key: PageKey): Promise<DecodedPage> {
    return this.#decode(
      pageRecordKey(key),
      (content) => decodePage(content, key),
      () => this.pageContent(key),
    );
  }

  /** The inflated value of a record; null where there is none. */
  async find(key: string): Promise<Bytes | null> {
    const member = await this.archive.get(key);
    return member === null ? null : await inflated(member);
  }

  /** The inflated value of a record that must be there. */
  async content(key: string): Promise<Bytes> {
    return present(await this.find(key), key);
  }

  /** The last record of a kind whose numbers begin as these do, and are not behind them. */
  async lastAtMost(letter: string, numbers: readonly (bigint | number)[]): Promise<LastRecord | null> {
    const key = recordKey(letter, numbers.map(BigInt));
    if (key === null) {
      return null;
    }
    const entry = await this.archive.lastAtMost(key, key.slice(0, -8));
    return entry === null ? null : { number: lastNumber(entry.key), content: await inflated(entry.value) };
  }

  async json<T>(key: string): Promise<T> {
    return parsed<T>(await this.content(key));
  }

  /** A record that is decoded, kept for those who want it next. */
  async #decode<T>(
    key: string,
    decode: (content: Bytes) => T,
    find: () => Promise<Bytes | null> = () => this.find(key),
  ): Promise<T> {
    const { value } = await this.#decoded.get(key, async () => {
      const content = present(await find(), key);
      return { value: decode(content), sizeBytes: content.length };
    });
    return value as T;
  }
}

interface Decoded<T> {
  readonly value: T;
  /** Size of the content that it was decoded from. */
  readonly sizeBytes: number;
}

function present(content: Bytes | null, key: string): Bytes {
  if (content === null) {
    throw new FormatError(`the archive lacks a record ${key[0]} that it should have`);
  }
  return content;
}

/** A record, and the last number of its key. */
export interface LastRecord {
  readonly number: number;
  readonly content: Bytes;
}

export function inflated(member: Bytes): Promise<Bytes> {
  return inflateWithin(member, MAX_INFLATED_BYTES, "a record of the archive");
}

export function parsed<T>(bytes: Uint8Array): T {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as T;
  } catch {
    throw new FormatError("a record of the archive is no JSON");
  }
}

/** The first tile of a track's page that is this one. Throws FormatError. */
export function tileOn({ tiles }: DecodedPage, track: number, index: number): DecodedPage["tiles"][number] {
  const tile = tiles.find((candidate) => candidate.track === track && candidate.index === index);
  if (tile === undefined) {
    throw new FormatError(`tile ${index} of slot ${slotOf(track)} is not on its page`);
  }
  return tile;
}

/** A track tree in which each group has an outermost one around it. Throws FormatError. */
function withoutCycles(tree: TrackTreeJson): TrackTreeJson {
  const parents = new Map(tree.groups.map(({ id, parent }) => [id, parent ?? null]));
  const checked = new Set<number>();
  for (const { id } of tree.groups) {
    const line = new Set<number>();
    for (let group: number | null = id; group !== null && !checked.has(group); group = parents.get(group) ?? null) {
      if (line.has(group)) {
        throw new FormatError(`group ${group} of the track tree lies in itself`);
      }
      line.add(group);
    }
    for (const group of line) {
      checked.add(group);
    }
  }
  return tree;
}

function lastNumber(key: string): number {
  let number = 0;
  for (const character of key.slice(-8)) {
    number = number * 256 + character.charCodeAt(0);
  }
  return number;
}
