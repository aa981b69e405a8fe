/**
 * Ranges of a file: those that are asked for together and lie close to each other are one request, as object stores answer a request
 * for several ranges with the whole object. The first bytes are read once and kept; a file that is replaced is an error by name.
 */

import { FormatError } from "../pages/error";
import type { ByteRange } from "./header";

/** Header, root, boot directory and, of a small run, all of the boot records. */
export const HEAD_BYTES = 65536;

/** A request costs a round trip of 100 ms: as long as it takes to get 128 kB at 10 Mbit/s. */
const GAP_BYTES = 128 << 10;

/** Most bytes of a request, unless one range alone is longer. */
const BATCH_BYTES = 4 << 20;

/** Browsers open six connections to a host of HTTP/1.1. */
const MAX_REQUESTS = 4;

/** Bytes of a range, fewer at the end of the file. */
export interface RangeAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The tag of the file; null where the host tells none. */
  readonly etag: string | null;
  /** Size of the file, where the host tells it. */
  readonly fileBytes?: number | null;
}

/** Reads a range of a file. */
export type ReadRange = (range: ByteRange) => Promise<RangeAnswer>;

/** The file was replaced since it was opened: whoever reads it opens it again. */
export class ArchiveChanged extends Error {
  override readonly name = "ArchiveChanged";
}

interface Wish extends ByteRange {
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (error: unknown) => void;
}

/** Wishes that one request answers. */
interface Batch {
  readonly start: number;
  stop: number;
  /** Place of the first of its wishes in the order in which they came. */
  first: number;
  readonly wishes: Wish[];
}

export class RangeReader {
  readonly etag: string | null;
  /** Size of the file; null where the host does not tell it. */
  readonly fileBytes: number | null;
  readonly #read: ReadRange;
  readonly #head: Uint8Array<ArrayBuffer>;
  #waiting: Wish[] = [];
  #running = 0;
  #isTurnAsked = false;

  constructor(read: ReadRange, head: RangeAnswer) {
    this.#read = read;
    this.#head = head.bytes;
    this.etag = head.etag;
    this.fileBytes = head.fileBytes ?? null;
  }

  /** The first bytes of the file. */
  get head(): Uint8Array<ArrayBuffer> {
    return this.#head;
  }

  /** The bytes of a range. Rejects with FormatError where the file ends before, with ArchiveChanged, and with what `read` rejects with. */
  bytes({ start, stop }: ByteRange): Promise<Uint8Array<ArrayBuffer>> {
    if (stop <= this.#head.length) {
      return Promise.resolve(this.#head.slice(start, stop));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ start, stop, resolve, reject });
      this.#askTurn();
    });
  }

  /** Begins requests in the next turn of the page: for all that is asked for in this one. */
  #askTurn(): void {
    if (!this.#isTurnAsked) {
      this.#isTurnAsked = true;
      setTimeout(() => {
        this.#isTurnAsked = false;
        this.#fill();
      });
    }
  }

  /** Begins requests: first those that have been waited for longest. */
  #fill(): void {
    if (this.#running >= MAX_REQUESTS || this.#waiting.length === 0) {
      return;
    }
    const batches = batchesOf(this.#waiting).sort((a, b) => a.first - b.first);
    const begun = batches.slice(0, MAX_REQUESTS - this.#running);
    const taken = new Set(begun.flatMap(({ wishes }) => wishes));
    this.#waiting = this.#waiting.filter((wish) => !taken.has(wish));
    for (const batch of begun) {
      void this.#run(batch);
    }
  }

  async #run({ start, stop, wishes }: Batch): Promise<void> {
    this.#running += 1;
    try {
      const { bytes, etag, fileBytes = null } = await this.#read({ start, stop });
      if (etag !== this.etag || fileBytes !== this.fileBytes) {
        throw new ArchiveChanged("the archive was replaced while it was open");
      }
      if (bytes.length !== stop - start) {
        throw new FormatError(`the archive is cut short at byte ${start + bytes.length}`);
      }
      for (const wish of wishes) {
        wish.resolve(bytes.slice(wish.start - start, wish.stop - start));
      }
    } catch (error) {
      for (const wish of wishes) {
        wish.reject(error);
      }
    } finally {
      this.#running -= 1;
      this.#askTurn();
    }
  }
}

/** Wishes in the order of the file, neighbours together. */
function batchesOf(wishes: readonly Wish[]): Batch[] {
  const order = wishes.map((wish, place) => ({ wish, place })).sort((a, b) => a.wish.start - b.wish.start);
  const batches: Batch[] = [];
  for (const { wish, place } of order) {
    const last = batches.at(-1);
    const isClose = last !== undefined && wish.start - last.stop <= GAP_BYTES;
    if (isClose && wish.stop - last.start <= BATCH_BYTES) {
      last.stop = Math.max(last.stop, wish.stop);
      last.first = Math.min(last.first, place);
      last.wishes.push(wish);
    } else {
      batches.push({ start: wish.start, stop: wish.stop, first: place, wishes: [wish] });
    }
  }
  return batches;
}
