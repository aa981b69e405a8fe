import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { FormatError } from "../pages/error";
import { Archive } from "./archive";
import { crc32 } from "./crc32";
import { LEAF, readDirectory } from "./directory";
import { type ByteRange, HEADER_BYTES, parseHeader } from "./header";
import { MANIFEST_KEY, namesKey, pageRecordKey, recordKey, shapeKey } from "./keys";
import { ArchiveChanged, HEAD_BYTES, type ReadRange } from "./range-reader";

interface Expected {
  build: string;
  records: number;
  manifest: string;
  values: Record<string, string>;
  absent: string[];
  leaf_of_a_huge_record: string;
}

const FOLDER = join(import.meta.dirname, "../../../../tests/vectors/archive");
const data = new Uint8Array(readFileSync(join(FOLDER, "small.tsarc")));
const expected = JSON.parse(readFileSync(join(FOLDER, "small.json"), "utf8")) as Expected;

function fromHex(text: string): string {
  return Buffer.from(text, "hex").toString("latin1");
}

function reading(bytes: Uint8Array, ranges: ByteRange[] = [], etag: () => string = () => "1"): ReadRange {
  return ({ start, stop }) => {
    ranges.push({ start, stop });
    return Promise.resolve({ bytes: bytes.slice(start, stop), etag: etag() });
  };
}

/** The file with other bytes in the header, and its checksum as it should be then. */
function withHeader(change: (view: DataView) => void): Uint8Array {
  const altered = data.slice();
  const view = new DataView(altered.buffer);
  change(view);
  view.setUint32(HEADER_BYTES - 4, crc32(altered.subarray(0, HEADER_BYTES - 4)), true);
  return altered;
}

describe("an archive", () => {
  test("has the records of the vectors", async () => {
    const ranges: ByteRange[] = [];
    const archive = await Archive.open(reading(data, ranges));
    expect(archive.header).toMatchObject({ build: expected.build, records: expected.records, sizeBytes: data.length });
    expect(Object.keys(expected.values).length).toBeGreaterThan(100);
    for (const [key, value] of Object.entries(expected.values)) {
      expect(Buffer.from((await archive.get(fromHex(key)))!).toString("hex")).toBe(value);
    }
    for (const key of expected.absent) {
      expect(await archive.get(fromHex(key))).toBeNull();
    }
    expect(ranges).toEqual([{ start: 0, stop: HEAD_BYTES }]); // it is that small
  });

  test("reads what lies behind the first range when it is asked for, leaves once", async () => {
    const ranges: ByteRange[] = [];
    const read = reading(data, ranges);
    const { boot } = parseHeader(data);
    const archive = await Archive.open(({ start, stop }) => read({ start, stop: start === 0 ? boot.stop : stop }));
    const [last] = Object.keys(expected.values).filter((key) => key.startsWith("54"));
    await archive.get(fromHex(last!));
    expect(ranges.length).toBe(1); // a boot record
    expect(await archive.get(recordKey("D", [0xffffffffn, 0xffffffffffffffffn])!)).toEqual(
      new TextEncoder().encode("last"),
    );
    const requests = ranges.length;
    await archive.get(recordKey("D", [0xffffffffn, 0xffffffffffffffffn])!);
    expect(ranges.length).toBeLessThanOrEqual(requests + 1);
  });

  test("that is replaced says so", async () => {
    let etag = "1";
    const read = reading(data, [], () => etag);
    const archive = await Archive.open(({ start, stop }) => read({ start, stop: start === 0 ? 2000 : stop }));
    etag = "2";
    await expect(archive.get(namesKey(0))).rejects.toThrow(ArchiveChanged);
  });

  test("that is cut, altered or made up is refused", async () => {
    for (const length of [0, 7, 8, HEADER_BYTES - 1, HEADER_BYTES, 200]) {
      await expect(Archive.open(reading(data.slice(0, length)))).rejects.toThrow(FormatError);
    }
    for (let place = 0; place < parseHeader(data).bootDirectory.stop; place += 13) {
      const altered = data.slice();
      altered[place]! ^= 1;
      await expect(Archive.open(reading(altered))).rejects.toThrow(FormatError);
    }
    const { boot } = parseHeader(data);
    const altered = data.slice();
    altered[boot.start + 10]! ^= 1; // in the manifest, the first record
    await expect((await Archive.open(reading(altered))).get(MANIFEST_KEY)).rejects.toThrow("was altered");
    for (const change of [
      (view: DataView) => view.setBigUint64(16, 10n ** 13n, true),
      (view: DataView) => view.setBigUint64(64, 2n ** 64n - 1n, true),
      (view: DataView) => view.setUint16(8, 3, true),
      (view: DataView) => view.setUint32(12, 1, true),
      (view: DataView) => view.setBigUint64(48, 2n ** 40n, true),
      (view: DataView) => view.setBigUint64(56, 1n, true),
    ]) {
      await expect(Archive.open(reading(withHeader(change)))).rejects.toThrow(FormatError);
    }
  });

  test("of which the host has more or fewer bytes than it says is refused before more of it is read", async () => {
    for (const [change, reason] of [
      [-1, "is cut short"],
      [1, "has bytes behind its end"],
      [10 ** 13, "has bytes behind its end"],
    ] as const) {
      const ranges: ByteRange[] = [];
      const read = reading(data, ranges);
      const lying: ReadRange = async (range) => ({ ...(await read(range)), fileBytes: data.length + change });
      await expect(Archive.open(lying)).rejects.toThrow(reason);
      expect(ranges.length).toBe(1);
    }
  });
});

describe("a directory", () => {
  test("with a record that is larger than any is refused, wherever the file ends", async () => {
    const member = Uint8Array.from(Buffer.from(expected.leaf_of_a_huge_record, "hex"));
    await expect(readDirectory(member, LEAF, 1, 2 ** 50)).rejects.toThrow("impossible sizes");
  });
});

describe("keys", () => {
  test("are bytes in the order of numbers", () => {
    expect(shapeKey(258)).toBe("S\0\0\x01\x02");
    expect(pageRecordKey({ block: 1, level: 2, index: 3, slot: 4 })).toBe("P\0\0\0\x01\x02\0\0\0\0\0\0\0\x03\x04");
    expect(recordKey("M", [])).toBe(MANIFEST_KEY);
    expect(recordKey("?", [])).toBeNull();
    expect(recordKey("S", [1n << 32n])).toBeNull();
    expect(recordKey("S", [1n, 1n])).toBeNull();
    expect(() => shapeKey(-1)).toThrow(RangeError);
  });
});
