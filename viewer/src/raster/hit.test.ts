import { ticks } from "@tilescope/client";
import { drawsOf, viewOf } from "@tilescope/client/testing/draw";
import { counterTiles, type EventInput, sliceTiles } from "@tilescope/client/testing/pyramid";
import { describe, expect, test } from "vitest";
import { exactSumsAt, hitCounter, hitTest } from "./hit";
import { findSlice, locateSlice } from "./locate";

const OPTIONS = { rootLevel: 3, leafEvents: 100, tilesPerPage: 4 };

const events: EventInput[] = [
  { start: 100, duration: 400, row: 0, name: 0 },
  { start: 110, duration: 0, row: 1, name: 1 },
  { start: 112, duration: 1, row: 1, name: 2 },
  { start: 300, duration: 100, row: 1, name: 3 },
  { start: 400, duration: 100, row: 1, name: 4 },
];

function hit(xPx: number, row: number, ticksPerPx = 10) {
  const view = viewOf(0, ticksPerPx, 1600);
  const hit = hitTest(drawsOf(sliceTiles(0, events, OPTIONS), view, OPTIONS), view, xPx, row);
  return hit === null ? null : hit.nameId;
}

describe("slices", () => {
  test("the one under the pointer", () => {
    expect([hit(10, 0), hit(49.9, 0), hit(39.9, 1), hit(40, 1)]).toEqual([0, 0, 3, 4]);
  });

  test("of another row or beyond the tolerance: nothing", () => {
    expect([hit(53.5, 0), hit(20, 1), hit(20, 2), hit(5, 0)]).toEqual([null, null, null, null]);
  });

  test("what is narrower than a pixel is hit by its pixel, and from a little beside it", () => {
    expect([hit(11.05, 1), hit(11.25, 1), hit(13.5, 1), hit(8.5, 1)]).toEqual(
      [2, 2, 2, 2].map((name, k) => (k === 1 ? 2 : name)),
    );
  });

  test("zero-length events have their pixel", () => {
    expect([hit(110.5, 1, 1), hit(112.5, 1, 1)]).toEqual([1, 2]);
  });

  test("all facts, exactly", () => {
    const view = viewOf(0, 10, 1600);
    const hit = hitTest(drawsOf(sliceTiles(0, events, OPTIONS), view, OPTIONS), view, 35, 1);
    expect(hit).toEqual({
      ...{ kind: "slice", track: 0, ordinal: 3, row: 1, nameId: 3, startTicks: 300n, durationTicks: 100n, flags: 0 },
    });
  });
});

describe("bins", () => {
  const crowd = Array.from({ length: 400 }, (_, k) => ({
    start: 40 * k,
    duration: 16 + 4 * (k % 4),
    row: 0,
    name: k % 3 === 0 ? 1 : 0,
  }));
  const view = viewOf(0, 64, 256);
  const tiles = sliceTiles(0, crowd, { ...OPTIONS, leafEvents: 20 });
  const draws = drawsOf(tiles, view, OPTIONS);
  const exactDraws = drawsOf(tiles, view, OPTIONS, "slice", true);

  test("say where they are, their count, dominant name and share, and their sums once those are there", () => {
    // Ticks 128 to 192 hold the slices that start at 160, and the ends of none: 120 + 28 = 148 reaches in.
    const facts = {
      ...{ kind: "bin", track: 0, level: 3, index: 0, row: 0, place: 2, startTicks: 128n, endTicks: 192n, count: 1 },
      ...{ density: 36 / 64, nameId: 1, share: Math.floor((255 * 20) / 36) / 255 },
    };
    const exact = { busyTicks: 36n, longestTicks: 28n };
    expect(hitTest(draws, view, 2.5, 0)).toEqual({ ...facts, exact: null });
    expect(hitTest(exactDraws, view, 2.5, 0)).toEqual({ ...facts, exact });
    expect(exactSumsAt(exactDraws[0]!.tile, 0, 2)).toEqual(exact);
    expect(exactSumsAt(draws[0]!.tile, 0, 2)).toBeNull();
    expect(exactSumsAt(exactDraws[0]!.tile, 1, 2)).toBeNull();
  });

  test("of another row are not hit", () => {
    expect(hitTest(draws, view, 2.5, 1)).toBeNull();
  });
});

describe("counters", () => {
  const samples = [100, 200, 300].map((time, k) => ({ time, value: k + 1 }));
  const view = viewOf(0, 10, 400);
  const ends = { firstTicks: ticks(100), lastTicks: ticks(300), endTicks: ticks(3_500) };

  test("the value in force in a leaf", () => {
    const draws = drawsOf(counterTiles(0, samples, OPTIONS), view, OPTIONS, "counter");
    const first = { kind: "sample", track: 0, ordinal: 0, startTicks: 100n, value: 1, agoTicks: null };
    expect(hitCounter(draws, view, 5, ends)).toBeNull();
    expect(hitCounter(draws, view, 15, ends)).toEqual(first);
    expect(hitCounter(draws, view, 30.9, ends)).toMatchObject({ ordinal: 2, value: 3, agoTicks: null });
    expect(hitCounter([], view, 15, ends)).toBeNull();
  });

  test("a bin, and the value between bins", () => {
    const wide = viewOf(0, 64, 256);
    const draws = drawsOf(counterTiles(0, samples, { ...OPTIONS, leafEvents: 1 }), wide, OPTIONS, "counter");
    expect(hitCounter(draws, wide, 1.5, ends)).toMatchObject({
      kind: "counterBin",
      startTicks: 64n,
      endTicks: 128n,
      n: 1,
      last: 1,
    });
    expect(hitCounter(draws, wide, 2.5, ends)).toMatchObject({
      ...{ kind: "sample", ordinal: null, startTicks: 128n, value: 1, agoTicks: null },
    });
    expect(hitCounter(draws, wide, 0.9, ends)).toBeNull();
  });

  test.each([100, 1])("behind the last sample, how long ago that was; %i samples in a leaf", (leafEvents) => {
    const draws = drawsOf(counterTiles(0, samples, { ...OPTIONS, leafEvents }), view, OPTIONS, "counter");
    expect(hitCounter(draws, view, 31, ends)).toMatchObject({ startTicks: 300n, value: 3, agoTicks: 10n });
    expect(hitCounter(draws, view, 349, ends)).toMatchObject({ startTicks: 300n, value: 3, agoTicks: 3_190n });
    expect(hitCounter(draws, view, 350, ends)).toBeNull();
  });
});

test("a known slice is found by its ordinal, and has a place of at least a pixel", () => {
  const view = viewOf(0, 10, 1600);
  const draws = drawsOf(sliceTiles(0, events, OPTIONS), view, OPTIONS);
  expect(findSlice(draws, 3)?.k).toBe(3);
  expect(findSlice(draws, 99)).toBeNull();
  expect(locateSlice(draws, 0, view)).toEqual({ row: 0, fromPx: 10, toPx: 50 });
  expect(locateSlice(draws, 1, view)).toEqual({ row: 1, fromPx: 11, toPx: 12 });
  expect(locateSlice(draws, 99, view)).toBeNull();
});
