import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { STORE_VERSION } from "../archive/columns";
import { crc32 } from "../archive/crc32";
import { HEADER_BYTES, parseHeader } from "../archive/header";
import { ArchiveHost } from "./archive-host";

const FILE = join(import.meta.dirname, "../../../../tests/vectors/archive/small.tsarc");
const data = new Uint8Array(readFileSync(FILE)); // of no store version
const header = new DataView(data.buffer);
header.setUint16(10, STORE_VERSION, true);
header.setUint32(HEADER_BYTES - 4, crc32(data.subarray(0, HEADER_BYTES - 4)), true);
const { build } = parseHeader(data);

function hostOf(first: string) {
  const host = new ArchiveHost(first, {
    readRanges:
      () =>
      async ({ start, stop }) => ({ bytes: data.slice(start, stop), etag: "1" }),
    fullAddress: (address) => new URL(address, "https://files.example/").href,
    loadTools: async () => [],
    loadQuestions: async () => ({ paths: {} }),
  });
  const get = async (path: string) => await (await host.fetch(`/api/v1${path}`)).json();
  return { get };
}

test("a run has the name of its file, whatever is in its address", async () => {
  for (const [address, name] of [
    ["run.tsarc", "run.tsarc"],
    ["a%zz/100%25&+b.tsarc", "100%&+b.tsarc"],
  ] as const) {
    expect((await hostOf(address).get("/runs")).runs).toMatchObject([{ id: address, name }]);
  }
});

test("an address that is none is a run that failed", async () => {
  const { runs } = await hostOf("http://[").get("/runs");
  expect(runs).toMatchObject([{ id: "http://[", state: "failed" }]);
  expect(runs[0].error).toContain("URL");
});

test("a command has the address as one word", async () => {
  const address = "https://files.example/a;b$(c)'.tsarc?x=1&y=2";
  const { get } = hostOf(address);
  const path = `/runs/${encodeURIComponent(address)}/builds/${build}/steps`;
  expect((await get(path)).error.message).toMatch(/tilescope view '\S+;b\$\(c\)'"'"'\.tsarc\?x=1&y=2'$/);
});
