import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

import type { Archive } from "../archive/archive";
import { STORE_VERSION } from "../archive/columns";
import { ArchivedRun } from "./archived-run";

/** A run whose records are all this JSON. */
function runOf(content: unknown): ArchivedRun {
  const value = new Uint8Array(gzipSync(JSON.stringify(content)));
  return new ArchivedRun({
    header: { build: "b", storeVersion: STORE_VERSION },
    get: async () => value,
  } as unknown as Archive);
}

test("groups that lie in each other are refused", async () => {
  const groups = [
    { id: 0, parent: null },
    { id: 1, parent: 2 },
    { id: 2, parent: 1 },
  ];
  await expect(runOf({ groups, tracks: [] }).trackTree()).rejects.toThrow("lies in itself");
  groups[1]!.parent = 0;
  expect((await runOf({ groups, tracks: [] }).trackTree()).groups).toEqual(groups);
});

test.each([
  { count: 1e9, page_size: 1 },
  { count: 10, page_size: 0 },
  { count: -1, page_size: 100 },
])("no run has such names: $count in pages of $page_size", async (names) => {
  await expect(runOf({ public: { build: "b", names } }).manifest()).rejects.toThrow("impossible number of names");
});

test.each([
  [STORE_VERSION - 1, "index the trace again"],
  [STORE_VERSION + 1, "a newer viewer"],
])("records of store version %i are refused in one line", (storeVersion, advice) => {
  const archive = { header: { build: "b", storeVersion } } as unknown as Archive;
  expect(() => new ArchivedRun(archive)).toThrow(advice);
});

test("decoded records are kept up to a number of bytes", async () => {
  let reads = 0;
  const name = "x".repeat(3 << 20);
  const value = new Uint8Array(gzipSync(JSON.stringify([[name, ""]])));
  const get = async () => {
    reads += 1;
    return value;
  };
  const run = new ArchivedRun({ header: { storeVersion: STORE_VERSION }, get } as unknown as Archive);
  await run.names(0);
  await run.names(0);
  expect(reads).toBe(1);
  for (const page of [1, 2, 0]) {
    await run.names(page);
  }
  expect(reads).toBe(4);
});
