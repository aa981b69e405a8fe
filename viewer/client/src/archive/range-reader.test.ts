import { expect, test } from "vitest";
import { FormatError } from "../pages/error";
import type { ByteRange } from "./header";
import { ArchiveChanged, HEAD_BYTES, RangeReader, type ReadRange } from "./range-reader";

const FILE = Uint8Array.from({ length: 8 << 20 }, (_, k) => (k * 2654435761) >>> 13);

interface Host {
  readonly read: ReadRange;
  readonly requests: ByteRange[];
  etag: string;
  release(): void;
}

/** A host that counts, and answers when it is told to. */
function heldHost(): Host {
  const waiting: (() => void)[] = [];
  const host: Host = {
    requests: [],
    etag: "1",
    read: (range) => {
      host.requests.push(range);
      const answer = { bytes: FILE.slice(range.start, range.stop), etag: host.etag };
      return new Promise((resolve) => waiting.push(() => resolve(answer)));
    },
    release: () => {
      for (const answer of waiting.splice(0)) {
        answer();
      }
    },
  };
  return host;
}

function readerOf(host: Host): RangeReader {
  return new RangeReader(host.read, { bytes: FILE.slice(0, HEAD_BYTES), etag: "1" });
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

test("neighbours that are asked for in one turn are one request, and each gets its bytes", async () => {
  const host = heldHost();
  const reader = readerOf(host);
  const ranges = [100_000, 130_000, 90_000].map((start) => ({ start, stop: start + 1000 }));
  const parts = Promise.all(ranges.map((range) => reader.bytes(range)));
  await turn();
  expect(host.requests).toEqual([{ start: 90_000, stop: 131_000 }]);
  host.release();
  expect(await parts).toEqual(ranges.map(({ start, stop }) => FILE.slice(start, stop)));
});

test("what lies apart is asked for by itself, four at a time, first come first", async () => {
  const host = heldHost();
  const reader = readerOf(host);
  const starts = [6, 1, 5, 2, 4, 3].map((place) => place << 20);
  const parts = Promise.all(starts.map((start) => reader.bytes({ start, stop: start + 10 })));
  await turn();
  expect(host.requests.map(({ start }) => start)).toEqual(starts.slice(0, 4));
  host.release();
  await turn();
  expect(host.requests.map(({ start }) => start).sort()).toEqual([...starts].sort());
  host.release();
  await parts;
});

test("the head is there without asking, and a batch has four megabytes at most", async () => {
  const host = heldHost();
  const reader = readerOf(host);
  expect(await reader.bytes({ start: 5, stop: HEAD_BYTES })).toEqual(FILE.slice(5, HEAD_BYTES));
  void reader.bytes({ start: 1 << 20, stop: 4 << 20 });
  void reader.bytes({ start: 4 << 20, stop: 7 << 20 });
  await turn();
  expect(host.requests).toEqual([
    { start: 1 << 20, stop: 4 << 20 },
    { start: 4 << 20, stop: 7 << 20 },
  ]);
});

test("a file that is replaced, or cut short, is an error of all who requests", async () => {
  const host = heldHost();
  const reader = readerOf(host);
  host.etag = "2";
  const changed = [100_000, 100_100].map((start) => reader.bytes({ start, stop: start + 10 }));
  const settled = Promise.allSettled(changed);
  await turn();
  host.release();
  for (const result of await settled) {
    expect(result).toMatchObject({ status: "rejected", reason: expect.any(ArchiveChanged) });
  }
  host.etag = "1";
  const short = reader.bytes({ start: FILE.length - 5, stop: FILE.length + 5 });
  const check = expect(short).rejects.toThrow(FormatError);
  await turn();
  host.release();
  await check;
});

test("a file without a tag that has another size is another file", async () => {
  const answers = [FILE.length, FILE.length, FILE.length + 1].map((fileBytes) => ({ etag: null, fileBytes }));
  const read: ReadRange = async ({ start, stop }) => ({ bytes: FILE.slice(start, stop), ...answers.shift()! });
  const reader = new RangeReader(read, await read({ start: 0, stop: HEAD_BYTES }));
  await reader.bytes({ start: 100_000, stop: 100_001 });
  await expect(reader.bytes({ start: 100_000, stop: 100_001 })).rejects.toThrow(ArchiveChanged);
});
