import type { Coverage, TileData, Track } from "@tilescope/client";
import { decodePage, ticks, type View } from "@tilescope/client";
import { type EventInput, Pyramid, rollupTiles, sliceTiles } from "@tilescope/client/testing/pyramid";
import { expect, test } from "vitest";
import { gapHints } from "./gap-hints";
import type { Scene, SceneTrack } from "./scene";

/** 1000 ticks of 1 ns from 5000 on. */
const view: View = { startTicks: ticks(5000), startFraction: 0, ticksPerPx: 1, widthPx: 1000 };
const options = { rootLevel: 3, leafEvents: 30, tilesPerPage: 8 };

function event(start: number, duration: number, row = 0): EventInput {
  return { start, duration, row, name: 0 };
}

function entry(kind: string, first: number, last: number, more: Partial<SceneTrack> = {}): SceneTrack {
  const track = { id: 0, kind, firstTicks: ticks(first), lastTicks: ticks(last) } as unknown as Track;
  return {
    ...{ track, place: "track", isCounted: true, topPx: 40, rowPx: 18, firstRow: 0, rows: 1, firstLane: 0 },
    ...{ isPinned: false, ...more },
  };
}

function covered(tiles: readonly TileData[], complete = true): Coverage {
  const draws = tiles.map((tile) => ({ tile, clipStart: ticks(0), clipEnd: ticks(1 << 20), sharp: true }));
  return { draws, complete, missing: [] };
}

function hints(lane: SceneTrack, coverage: Coverage) {
  return gapHints({ tracks: [lane] } as unknown as Scene, view, 1000, new Map([[0, coverage]]));
}

function decoded(tiles: ConstructorParameters<typeof Pyramid>[0]): TileData[] {
  return [...new Pyramid(tiles, 8).pages.values()].flatMap(({ key, bytes }) => decodePage(bytes, key).tiles);
}

function tilesOf(...events: EventInput[]): TileData[] {
  return decoded(sliceTiles(0, events, options)).filter(({ kind }) => kind === "leaf");
}

test("a lane that is empty between two of its events says how far it is to both, and which they are", () => {
  const tiles = tilesOf(event(100, 10), event(3000, 1000), event(8500, 10), event(9000, 10));
  const gaps = hints(entry("slice", 100, 9010), covered(tiles));
  expect(gaps.map(({ text, end, ordinal }) => [text, end, ordinal])).toEqual([
    ["← 1 µs: event before", "previous", 1],
    ["2.5 µs: next event →", "next", 2],
  ]);
});

test("where no tile on the screen knows them, there are events all the same", () => {
  const gaps = hints(entry("slice", 100, 9010), covered([]));
  expect(gaps.map(({ text, atTicks }) => [text, atTicks])).toEqual([
    ["← event before", null],
    ["next event →", null],
  ]);
  expect(hints(entry("rollup", 100, 9010), covered([]))).toEqual([]);
});

test.each([
  ["one in it", [event(5500, 1)]],
  ["one that lasts no time at its start", [event(5000, 0)]],
  ["one that reaches in", [event(4000, 1001)]],
  ["one that reaches across", [event(100, 8000)]],
  ["a nested one", [event(100, 10), event(5990, 100, 1)]],
])("a lane with %s says nothing", (_, inside) => {
  const tiles = tilesOf(event(50, 1), ...inside, event(9000, 10));
  expect(hints(entry("slice", 50, 9010), covered(tiles))).toEqual([]);
});

test("what touches the view from outside is not in it", () => {
  const tiles = tilesOf(event(4000, 1000), event(6000, 10));
  expect(hints(entry("slice", 4000, 6010), covered(tiles)).map(({ text }) => text)).toEqual([
    "← 0 s: event before",
    "0 s: next event →",
  ]);
});

test("a group says what its bins know", () => {
  const tiles = decoded(rollupTiles(0, [event(100, 10), event(9000, 10)], options, 500));
  const gaps = hints(entry("rollup", 100, 9010), covered(tiles));
  expect(gaps.map(({ end, ordinal }) => [end, ordinal])).toEqual([
    ["previous", null],
    ["next", null],
  ]);
});

test("nothing is said while something is missing, of counters, of headers of open groups, and where the edges say it", () => {
  expect(hints(entry("slice", 100, 9010), covered([], false))).toEqual([]);
  expect(hints(entry("counter", 100, 9010), covered([]))).toEqual([]);
  expect(hints(entry("slice", 100, 9010, { isCounted: false }), covered([]))).toEqual([]);
  expect(hints(entry("slice", 100, 4000), covered([]))).toEqual([]);
  expect(hints(entry("slice", 7000, 9000), covered([]))).toEqual([]);
});
