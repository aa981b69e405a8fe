/**
 * The client against a real server: every page of every track is decoded, and the promise of conservation is proven
 * a second time, in another language than the one that built the tiles. Real traces are served where the corpus is;
 * stand-ins always.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Events, Run } from "../base/schema";
import { ticks } from "../base/time";
import { fit as fitView } from "../base/view";
import { type PageKey, pageName } from "../pages/key";
import type { ShapeIndex } from "../pages/shape";
import type { TileData } from "../pages/tile";
import { checkBlock, loadExact } from "../testing/conservation";
import { checkComposed } from "../testing/rollups";
import { corpusPath, serverCommand, TestServer, writeStandins } from "../testing/server";
import { Api, type BuildApi } from "./api";
import { TileClient } from "./client";
import type { Manifest, TrackTree } from "./model";
import { hitBins, hits, type SearchHit, search } from "./search";
import type { Socket } from "./stream";

const STANDINS = ["devices.xplane.pb", "jax-on-cpu.xplane.pb", "training.pt.trace.json", "gap.json"];
const CORPUS = [
  "xplane/jax_cpu_10steps.xplane.pb",
  "xplane/tpu_v6e_4core.xplane.pb",
  "kineto/ns_resolution.pt.trace.json.gz",
  "chrome/instance_counters.json",
  "chrome/fuchsia_trace.json.gz",
];

const command = serverCommand();
const INDEXING_MS = 120_000;

describe.skipIf(command === null)("a real server (needs an installed tilescope)", () => {
  let folder: string;
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tilescope-standins-"));
    const standins = writeStandins(command!, folder);
    const paths = [...STANDINS.map((name) => standins.get(name)!), ...CORPUS.flatMap((name) => corpusPath(name) ?? [])];
    server = await TestServer.start(command!, paths);
    api = new Api(server.url);
  }, INDEXING_MS);

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  async function open(name: string): Promise<{ manifest: Manifest; build: BuildApi; tree: TrackTree }> {
    const file = name.split("/").at(-1)!;
    const find = async (): Promise<Run> => (await api.runs()).find((run) => run.path.split("/").at(-1) === file)!;
    await api.index((await find()).id);
    await vi.waitUntil(async () => ["ready", "failed"].includes((await find()).state), {
      timeout: INDEXING_MS,
      interval: 200,
    });
    const run = await find();
    expect(run.error).toBeNull();
    const manifest = await api.manifest(run.id);
    const build = api.build(run.id, manifest.build);
    return { manifest, build, tree: await build.tracks() };
  }

  test.for([...STANDINS, ...CORPUS])(
    "%s: every tile conserves events and busy time",
    { timeout: INDEXING_MS },
    async (name, { skip }) => {
      skip(CORPUS.includes(name) && corpusPath(name) === null, "no corpus; set TILESCOPE_CORPUS");
      const { manifest, build, tree } = await open(name);
      const kinds = new Map(tree.tracks.map((track) => [track.id, track.kind]));
      let total = 0n;
      let pages = 0;
      for (let block = 0; block < manifest.blocks; block++) {
        const shape = await build.shape(block);
        const findings = await checkBlock(shape, build, (track) => kinds.get(track) === "rollup");
        expect(findings.errors).toEqual([]);
        pages += findings.pages;
        for (const [id, { events, busyTicks }] of findings.totals) {
          const track = tree.tracks[id]!;
          expect([id, events]).toEqual([id, track.events]);
          if (track.kind !== "counter") {
            expect([id, busyTicks]).toEqual([id, track.busyTicks]);
          }
          total += track.kind === "rollup" ? 0n : events;
        }
      }
      expect(pages).toBeGreaterThan(0);
      expect(total).toBe(tree.tracks.reduce((sum, track) => sum + (track.kind === "rollup" ? 0n : track.events), 0n));
    },
  );

  test(
    "below the tiles of a rollup, what its tracks hold adds up to them",
    async () => {
      const { manifest, build, tree } = await open("gap.json");
      const shapes = new Map<number, ShapeIndex>();
      const tiles = new Map<string, TileData>();
      for (let block = 0; block < manifest.blocks; block++) {
        const shape = await build.shape(block);
        shapes.set(block, shape);
        const keys = new Map<string, PageKey>();
        for (let position = 0; position < shape.length; position++) {
          keys.set(pageName(shape.pageAt(position)), shape.pageAt(position));
        }
        for (const key of keys.values()) {
          for (const tile of (await loadExact(build, key)).tiles) {
            tiles.set(`${tile.track}/${tile.level}/${tile.index}`, tile);
          }
        }
      }
      const lookup = (track: number, level: number, index: number) => tiles.get(`${track}/${level}/${index}`);
      const input = { shapes, lookup, rootLevel: manifest.rootLevel };
      let checked = 0;
      for (const tile of tiles.values()) {
        if (tile.kind !== "terminal") {
          continue;
        }
        const { children } = tree.tracks[tile.track]!;
        for (let steps = 1; steps <= Math.min(4, tile.level); steps++) {
          expect(checkComposed(input, tile, children, steps)).toEqual([]);
          checked += 1;
        }
      }
      expect(checked).toBeGreaterThanOrEqual(20);
    },
    INDEXING_MS,
  );

  test(
    "the tile client gets a complete picture over the WebSocket, and an event's details agree with its slice",
    async () => {
      const { manifest, build, tree } = await open(STANDINS[0]!);
      const changed = vi.fn();
      const client = new TileClient({
        rootLevel: manifest.rootLevel,
        loadShape: (block) => build.shape(block),
        connect: () => new WebSocket(build.streamUrl(server.url)) as Socket,
        fetchPage: (key, signal) => build.page(key, signal),
        onChange: changed,
      });
      const view = fitView(manifest.range, 1200);
      const tracks = tree.tracks.map(({ id, kind }) => ({ track: id, kind }));
      client.show({ view, tracks });
      const isComplete = () => tracks.every((request) => client.coverage(request, view).complete);
      await vi.waitUntil(isComplete, { timeout: 10_000, interval: 20 });
      expect(client.status).toEqual({ stream: "open", missingPages: 0, problem: null });
      const request = tracks.find(({ kind }) => kind === "slice")!;
      const { tile } = client.coverage(request, view).draws.find((draw) => draw.tile.slices.length > 0)!;
      const details = await build.event(request.track, tile.slices.ordinal[0]!);
      expect(details.startTicks).toBe(ticks(tile.originTicks + BigInt(tile.slices.startOffset[0]!)));
      expect(details.row).toBe(tile.slices.row[0]);
      client.close();
    },
    INDEXING_MS,
  );

  test(
    "a search finds the events that a look through all of them finds",
    async () => {
      const { manifest, build } = await open(STANDINS[2]!);
      const wanted: { track: number; ordinal: bigint; durationTicks: bigint }[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const events: Events = await build.events({ limit: 50_000, after });
        const { track, ordinal, nameId, durationTicks } = events.columns;
        for (let k = 0; k < track.length; k++) {
          const [name] = events.names[String(nameId[k])] ?? [""];
          if (durationTicks[k]! >= 1000n && name.toLowerCase().includes("a")) {
            wanted.push({ track: track[k]!, ordinal: ordinal[k]!, durationTicks: durationTicks[k]! });
          }
        }
        after = events.after;
      }
      const query = `A dur>=${1000n * BigInt(manifest.tickPs)}ps`;
      const result = await search(build, query, { limit: 7 });
      expect(result.count).toBe(BigInt(wanted.length));
      expect(result.busyTicks).toBe(wanted.reduce((sum, { durationTicks }) => sum + durationTicks, 0n));
      expect(result.byName.reduce((sum, { count }) => sum + count, 0n)).toBe(result.count);
      const place = ({ track, ordinal }: { track: number; ordinal: bigint }) => `${track}.${ordinal}`;
      const all: SearchHit[] = [];
      for await (const hit of hits(build, query, { limit: 7000 })) {
        all.push(hit);
      }
      expect(all.slice(0, 7)).toEqual(result.hits);
      expect(all.map(place).sort()).toEqual(wanted.map(place).sort());
      expect(all.every((hit, k) => k === 0 || hit.startTicks >= all[k - 1]!.startTicks)).toBe(true);
      const back = await search(build, query, { limit: all.length, backward: "true" });
      expect(back.hits).toEqual(all.toReversed());
      const { binTicks, bins } = await hitBins(build, query, { px: 300 });
      expect(bins.reduce((sum, { count }) => sum + count, 0n)).toBe(result.count);
      expect(bins.every(({ startTicks }) => BigInt(startTicks) % BigInt(binTicks) === 0n)).toBe(true);
      const gone = new AbortController();
      gone.abort();
      await expect(search(build, query, {}, gone.signal)).rejects.toThrow();
      await expect(search(build, "dur>x")).rejects.toThrow("query, character 5: a duration is a number with a unit");
    },
    INDEXING_MS,
  );
});
