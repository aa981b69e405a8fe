import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

import type { Archive } from "../archive/archive";
import { ArchivedRun } from "./archived-run";

/** A run whose records are all this JSON. */
function runOf(content: unknown): ArchivedRun {
  const value = new Uint8Array(gzipSync(JSON.stringify(content)));
  return new ArchivedRun({ header: { build: "b" }, get: async () => value } as unknown as Archive);
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
