import { describe, expect, test } from "vitest";
import { ticks } from "../base/time";
import { type View, visibleRange } from "../base/view";
import { counterTiles, type EventInput, Pyramid, sliceTiles } from "../testing/pyramid";
import { Random } from "../testing/random";
import { coverage } from "./coverage";
import { tileOrigin } from "./key";
import { sharpLevel } from "./resolver";
import { type TileData, tileEnd } from "./tile";

const ROOT_LEVEL = 5;
const OPTIONS = { rootLevel: ROOT_LEVEL, leafEvents: 12, tilesPerPage: 4 };

function randomEvents(random: Random, count: number): EventInput[] {
  return Array.from({ length: count }, () => ({
    start: Math.floor(random.next() ** 2 * 250_000),
    duration: random.pick([0, 3, 40, 900, 20_000]),
    row: 0,
    name: 0,
  }));
}

function setUp(events: readonly EventInput[]) {
  const pyramid = new Pyramid(sliceTiles(0, events, OPTIONS), OPTIONS.tilesPerPage);
  return { shape: pyramid.shape(), tiles: pyramid.tiles() };
}

function lookupIn(tiles: readonly TileData[]) {
  const byName = new Map(tiles.map((tile) => [`${tile.track}/${tile.level}/${tile.index}`, tile]));
  return (track: number, level: number, index: number) => byName.get(`${track}/${level}/${index}`);
}

function randomView(random: Random): View {
  const ticksPerPx = 0.2 * 2000 ** random.next();
  return {
    startTicks: ticks(random.below(250_000)),
    startFraction: random.next(),
    ticksPerPx,
    widthPx: 50 + random.below(300),
  };
}

const slice = { track: 0, kind: "slice" } as const;

describe("with any part of the tiles", () => {
  test.each([1, 2, 3, 4, 5, 6])("nothing is drawn twice and nothing is blank (seed %i)", (seed) => {
    const random = new Random(seed);
    const events = randomEvents(random, 500);
    const { shape, tiles } = setUp(events);
    for (let round = 0; round < 60; round++) {
      const part = random.next();
      const here = tiles.filter((tile) => tile.level === ROOT_LEVEL || random.next() < part);
      const view = randomView(random);
      const range = visibleRange(view);
      const { draws, complete } = coverage(lookupIn(here), shape, slice, view, ROOT_LEVEL);
      draws.forEach((draw, k) => {
        expect(draw.clipStart).toBeLessThan(draw.clipEnd);
        expect(draw.clipStart).toBeGreaterThanOrEqual(tileOrigin(draw.tile.level, draw.tile.index));
        expect(draw.clipEnd).toBeLessThanOrEqual(tileEnd(draw.tile.level, draw.tile.index));
        if (k > 0) {
          expect(draw.clipStart).toBeGreaterThanOrEqual(draws[k - 1]!.clipEnd);
        }
      });
      expect(complete).toBe(draws.every((draw) => draw.sharp));
      for (const { start, duration } of events) {
        const from = Math.max(start, Number(range.startTicks));
        if (from < Number(range.endTicks) && (start >= from || start + duration > from)) {
          expect(draws.some((draw) => draw.clipStart <= from && from < draw.clipEnd)).toBe(true);
        }
      }
    }
  });

  test("all of them give the sharp tiles alone", () => {
    const random = new Random(9);
    const { shape, tiles } = setUp(randomEvents(random, 500));
    for (let round = 0; round < 60; round++) {
      const view = randomView(random);
      const { draws, complete } = coverage(lookupIn(tiles), shape, slice, view, ROOT_LEVEL);
      const level = sharpLevel(view.ticksPerPx, ROOT_LEVEL);
      expect(complete).toBe(true);
      expect(draws.every(({ tile }) => tile.level === level || (tile.level > level && tile.kind === "leaf"))).toBe(
        true,
      );
    }
  });
});

describe("stand-ins", () => {
  const events = Array.from({ length: 400 }, (_, k) => ({ start: 600 * k, duration: 100, row: 0, name: 0 }));
  const { shape, tiles } = setUp(events);
  const view: View = { startTicks: ticks(0), startFraction: 0, ticksPerPx: 40, widthPx: 1600 };

  test("the nearest ancestor is clipped to what is missing, in one piece", () => {
    const here = tiles.filter(
      (tile) => tile.level === ROOT_LEVEL || (tile.level === 3 && tile.index !== 1 && tile.index !== 2),
    );
    const { draws, complete } = coverage(lookupIn(here), shape, slice, { ...view, widthPx: 1638 }, ROOT_LEVEL);
    expect(complete).toBe(false);
    expect(
      draws.map(({ tile, clipStart, clipEnd, sharp }) => [
        tile.level,
        Number(clipStart) / 16_384,
        Number(clipEnd) / 16_384,
        sharp,
      ]),
    ).toEqual([
      [3, 0, 1, true],
      [5, 1, 3, false],
      [3, 3, 4, true],
    ]);
  });

  test("finer tiles from before are sharper than an ancestor", () => {
    const here = tiles.filter((tile) => tile.level === ROOT_LEVEL || (tile.level === 2 && tile.index < 8));
    const { draws } = coverage(lookupIn(here), shape, slice, view, ROOT_LEVEL);
    expect(draws.map(({ tile }) => tile.level)).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 5]);
    expect(draws.every((draw) => !draw.sharp)).toBe(true);
  });

  test("without any tile nothing is drawn, and where there are events that is not idle but missing", () => {
    const { draws, complete, missing } = coverage(() => undefined, shape, slice, view, ROOT_LEVEL);
    expect([draws, complete]).toEqual([[], false]);
    // The view is of 64,000 ticks; there are events from 0 to 240,000, without a gap that is as long as a tile.
    expect(missing).toEqual([{ startTicks: 0n, endTicks: 65_536n }]);
  });

  test("what is missing and what is drawn never overlap, and every event is in one of them", () => {
    const random = new Random(17);
    for (let round = 0; round < 40; round++) {
      const shown = randomView(random);
      const here = tiles.filter((tile) => tile.level < ROOT_LEVEL && random.next() < 0.5);
      const { draws, complete, missing } = coverage(lookupIn(here), shape, slice, shown, ROOT_LEVEL);
      const whole = coverage(lookupIn(tiles), shape, slice, shown, ROOT_LEVEL);
      const parts = [
        ...draws.map(({ clipStart, clipEnd }) => ({ startTicks: clipStart, endTicks: clipEnd })),
        ...missing,
      ].sort((a, b) => Number(a.startTicks - b.startTicks));
      expect(parts.every((part, k) => k === 0 || parts[k - 1]!.endTicks <= part.startTicks)).toBe(true);
      const range = visibleRange(shown);
      for (const { start } of events.filter(
        (event) => event.start >= range.startTicks && event.start < range.endTicks,
      )) {
        expect(parts.some(({ startTicks, endTicks }) => startTicks <= start && start < endTicks)).toBe(true);
      }
      expect(missing.length > 0 && complete).toBe(false);
      expect(whole.missing).toEqual([]);
    }
  });

  test("a track without tiles is complete at once", () => {
    expect(coverage(() => undefined, shape, { track: 9, kind: "slice" }, view, ROOT_LEVEL)).toEqual({
      draws: [],
      complete: true,
      missing: [],
    });
  });
});

test("a counter is covered without gaps", () => {
  const samples = Array.from({ length: 60 }, (_, k) => ({ time: (k % 2) * 100_000 + 7 * k, value: k }));
  const sorted = samples.sort((a, b) => a.time - b.time);
  const pyramid = new Pyramid(counterTiles(0, sorted, OPTIONS), 4);
  const random = new Random(5);
  const lookup = lookupIn(pyramid.tiles());
  for (let round = 0; round < 60; round++) {
    const view = randomView(random);
    const range = visibleRange(view);
    const { draws, complete } = coverage(lookup, pyramid.shape(), { track: 0, kind: "counter" }, view, ROOT_LEVEL);
    expect(complete).toBe(true);
    let reached: bigint = range.startTicks;
    for (const draw of draws) {
      expect(draw.clipStart).toBeLessThanOrEqual(reached);
      reached = draw.clipEnd;
    }
    expect(reached >= range.endTicks || reached === tileEnd(ROOT_LEVEL, 0)).toBe(true);
  }
});
