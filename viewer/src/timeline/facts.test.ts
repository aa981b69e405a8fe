import { type Track, ticks, type View } from "@tilescope/client";
import { drawsOf, viewOf } from "@tilescope/client/testing/draw";
import { type PyramidOptions, sliceTiles } from "@tilescope/client/testing/pyramid";
import { Random } from "@tilescope/client/testing/random";
import { describe, expect, it } from "vitest";
import { countEvents } from "./event-count";
import { widestBinTicks } from "./facts";
import type { Picture } from "./picture";

const OPTIONS: PyramidOptions = { rootLevel: 4, leafEvents: 40, tilesPerPage: 7 };
const random = new Random(11);
const events = Array.from({ length: 3000 }, (_, k) => ({
  start: 20 * k + random.below(12),
  duration: 1 + random.below(8),
  row: 0,
  name: 1,
}));
const tiles = sliceTiles(0, events, OPTIONS);

const track: Track = {
  id: 0,
  group: 0,
  kind: "slice",
  name: "",
  detail: "",
  rows: 1,
  events: 3000n,
  busyTicks: ticks(0),
  lanes: 1,
  children: [],
  values: null,
};

function pictureOf(view: View, complete = true): Picture {
  const shown = {
    track,
    place: "track",
    isCounted: true,
    topPx: 0,
    rowPx: 18,
    firstRow: 0,
    rows: 1,
    firstLane: 0,
    isPinned: false,
  } as const;
  return {
    scene: {
      tracks: [shown, { ...shown, place: "sticky", isCounted: false }],
      headers: [],
      edgesPx: [],
      pinnedEdgesPx: [],
      pinnedPx: 0,
      lanes: 2,
      endPx: 100,
    },
    view,
    deviceView: view,
    ratio: 1,
    heightPx: 100,
    endTicks: ticks(60_000),
    coverages: new Map([[0, { draws: drawsOf(tiles, view, OPTIONS), complete, missing: [] }]]),
  };
}

const startingIn = (from: number, to: number) => events.filter(({ start }) => start >= from && start < to).length;

const reachingInto = (tick: number) => events.filter((e) => e.start < tick && e.start + e.duration > tick).length;

describe("countEvents", () => {
  it("is exact for the whole run, at any zoom", () => {
    for (const ticksPerPx of [70, 200, 600]) {
      const count = countEvents(pictureOf(viewOf(0, ticksPerPx, 1000)));
      expect(count).toEqual({ starts: 3000, atEdges: 0, reachIn: 0, isExact: true });
    }
  });

  it("is exact where events are drawn as themselves", () => {
    const view = viewOf(10_007, 1, 500);
    expect(widestBinTicks(pictureOf(view))).toBeNull();
    expect(countEvents(pictureOf(view))).toEqual({
      starts: startingIn(10_007, 10_507),
      atEdges: 0,
      reachIn: reachingInto(10_007),
      isExact: true,
    });
    expect([...Array(20).keys()].some((k) => reachingInto(10_000 + 13 * k) > 0)).toBe(true);
    for (let start = 10_000; start < 10_260; start += 13) {
      expect(countEvents(pictureOf(viewOf(start, 1, 500)))?.reachIn).toBe(reachingInto(start));
    }
  });

  it("is exact but for the bins at the edges", () => {
    const picture = pictureOf(viewOf(10_007, 30, 1000));
    const binTicks = Number(widestBinTicks(picture));
    expect(binTicks).toBeGreaterThan(1);
    const { starts: count, atEdges, isExact } = countEvents(picture)!;
    expect(isExact).toBe(false);
    expect(count).toBeGreaterThanOrEqual(startingIn(10_007, 40_007));
    expect(count - atEdges).toBeLessThanOrEqual(startingIn(10_007, 40_007));
    expect(count - atEdges).toBeGreaterThanOrEqual(startingIn(10_007 + binTicks, 40_007 - binTicks));
    expect(count).toBeLessThanOrEqual(startingIn(10_007 - binTicks, 40_007 + binTicks));
  });

  it("says nothing while something is missing", () => {
    expect(countEvents(pictureOf(viewOf(0, 70, 1000), false))).toBeNull();
  });
});
