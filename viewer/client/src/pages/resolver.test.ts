import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TrackKind } from "../base/schema";
import { ticks } from "../base/time";
import { encodeShape, type ShapeRow } from "../testing/page";
import { counterTiles, type EventInput, Pyramid, sliceTiles } from "../testing/pyramid";
import { Random } from "../testing/random";
import { binTicks, tileOrigin } from "./key";
import { resolve, sharpLevel, type TrackRequest, tilesFor } from "./resolver";
import { ShapeIndex } from "./shape";
import { tileEnd } from "./tile";

type TrackRow = readonly [track: number, kind: TrackKind, children?: readonly number[]];

interface Vector {
  readonly name: string;
  readonly root_level: number;
  readonly blocks: Readonly<Record<string, ShapeRow[]>>;
  readonly view: {
    readonly start_ticks: string;
    readonly start_fraction: number;
    readonly ticks_per_px: number;
    readonly width_px: number;
  };
  readonly tracks: readonly TrackRow[];
  readonly nearby: readonly TrackRow[];
  readonly margin_px: number | null;
  readonly pages: readonly (readonly [string, number, number, number, number])[];
}

const FOLDER = join(import.meta.dirname, "../../../../tests/vectors/resolver");
const vectors = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Vector);

function requestOf([track, kind, children]: TrackRow): TrackRequest {
  return children === undefined ? { track, kind } : { track, kind, children };
}

describe("the vectors", () => {
  test("are there", () => {
    expect(vectors.length).toBeGreaterThanOrEqual(6);
  });

  test.each(vectors.map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    const shapes = new Map(
      Object.entries(vector.blocks).map(([block, rows]) => [
        Number(block),
        ShapeIndex.decode(encodeShape(Number(block), rows), Number(block)),
      ]),
    );
    const wants = resolve({
      view: {
        startTicks: ticks(vector.view.start_ticks),
        startFraction: vector.view.start_fraction,
        ticksPerPx: vector.view.ticks_per_px,
        widthPx: vector.view.width_px,
      },
      tracks: vector.tracks.map(requestOf),
      nearby: vector.nearby.map(requestOf),
      rootLevel: vector.root_level,
      shapes,
      ...(vector.margin_px === null ? {} : { marginPx: vector.margin_px }),
    });
    expect(wants.map(({ tier, key }) => [tier, key.block, key.level, key.index, key.slot])).toEqual(vector.pages);
  });
});

test("sharp bins are between half a pixel and two", () => {
  for (let ticksPerPx = 0.5; ticksPerPx < 2 ** 50; ticksPerPx *= 1.37) {
    const binPx = binTicks(sharpLevel(ticksPerPx, 27)) / ticksPerPx;
    expect(binPx).toBeGreaterThan(0.5);
    expect(binPx).toBeLessThanOrEqual(2);
  }
  expect(sharpLevel(0.01, 27)).toBe(0);
  expect(sharpLevel(2 ** 50, 9)).toBe(9);
});

describe("the tiles for a range", () => {
  const options = { rootLevel: 5, leafEvents: 12, tilesPerPage: 4 };
  const random = new Random(11);
  const events: EventInput[] = Array.from({ length: 600 }, () => ({
    start: Math.floor(random.next() ** 2 * 200_000),
    duration: random.pick([0, 3, 40, 900]),
    row: 0,
    name: 0,
  }));
  const samples = Array.from({ length: 60 }, (_, k) => ({ time: (k % 2) * 100_000 + 7 * k, value: k }));
  const tiles = [...sliceTiles(0, events, options), ...counterTiles(1, samples, options)];
  const shape = new Pyramid(tiles, options.tilesPerPage).shape();

  test("never overlap for slices, and hold every event of the range", () => {
    for (let round = 0; round < 200; round++) {
      const start = random.below(220_000);
      const range = { startTicks: ticks(start), endTicks: ticks(start + 1 + random.below(30_000)) };
      const level = random.below(6);
      const tiles = tilesFor(shape, { track: 0, kind: "slice" }, range, level, 5).map((position) => ({
        from: tileOrigin(shape.levelAt(position), shape.indexAt(position)),
        to: tileEnd(shape.levelAt(position), shape.indexAt(position)),
      }));
      const sorted = [...tiles].sort((a, b) => Number(a.from - b.from));
      sorted.slice(1).forEach((tile, k) => {
        expect(tile.from).toBeGreaterThanOrEqual(sorted[k]!.to);
      });
      for (const event of events) {
        const from = Math.max(event.start, start);
        if (from < range.endTicks && (event.start >= start || event.start + event.duration > start)) {
          expect(tiles.some((tile) => tile.from <= from && from < tile.to)).toBe(true);
        }
      }
    }
  });

  test("a counter has a tile everywhere", () => {
    for (let start = 0; start < 262_144; start += 997) {
      const range = { startTicks: ticks(start), endTicks: ticks(start + 1) };
      expect(tilesFor(shape, { track: 1, kind: "counter" }, range, 0, 5).length).toBe(1);
    }
  });
});
