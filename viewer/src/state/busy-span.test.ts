import { fit, StillClient, ticks } from "@tilescope/client";
import { type EventInput, Pyramid, rollupTiles, sliceTiles } from "@tilescope/client/testing/pyramid";
import { describe, expect, it } from "vitest";
import { type CountedSpan, densestStretch, findBusyRange, shortestRange } from "./busy-span";
import { isBusyAllAlong, rangeWithoutLoneInstants } from "./busy-tracks";

const span = (start: number, end: number, count: number): CountedSpan => ({
  startTicks: BigInt(start),
  endTicks: BigInt(end),
  count,
});
const range = (start: number, end: number) => ({ startTicks: ticks(start), endTicks: ticks(end) });

describe("shortestRange", () => {
  const spans = [span(0, 10, 1), span(500, 510, 40), span(510, 520, 60), span(900, 910, 2)];

  it("holds everything when nothing may be outside", () => {
    expect(shortestRange(spans, 0)).toEqual(range(0, 910));
  });

  it("leaves out what may be outside, on the side where it helps most", () => {
    expect(shortestRange(spans, 1)).toEqual(range(500, 910));
    expect(shortestRange([...spans, span(950, 960, 1)], 1)).toEqual(range(500, 960));
    expect(shortestRange([span(400, 410, 2), ...spans.slice(1)], 2)).toEqual(range(400, 520));
    expect(shortestRange(spans, 3)).toEqual(range(500, 520));
  });

  it("is none without events", () => {
    expect(shortestRange([span(0, 5, 0)], 3)).toBeNull();
  });
});

describe("densestStretch", () => {
  const run = range(0, 10_000);

  it("is that of the most events, of a few that are far apart", () => {
    const spans = [span(1000, 1100, 40), span(1120, 1200, 10), span(8000, 8100, 60), span(9900, 9901, 2)];
    expect(densestStretch(spans, run)).toEqual({ ...range(8000, 8100), count: 60 });
    expect(densestStretch([...spans, span(1210, 1300, 20)], run)).toEqual({ ...range(1000, 1300), count: 70 });
  });

  it("is none where the events are spread, or there are none", () => {
    const spread = Array.from({ length: 30 }, (_, k) => span(330 * k, 330 * k + 100, 5));
    expect(densestStretch(spread, run)).toBeNull();
    expect(densestStretch([], run)).toBeNull();
  });
});

describe("rangeWithoutLoneInstants", () => {
  const run = range(0, 1000);
  const track = (kind: "slice" | "instant" | "rollup" | "counter", events: number, first: number, last: number) => ({
    ...{ kind, events: BigInt(events), firstTicks: ticks(first), lastTicks: ticks(last) },
  });

  it("leaves out marks of a profiler before and behind all work", () => {
    const tracks = [track("slice", 98, 100, 700), track("instant", 2, 0, 1000), track("rollup", 2, 0, 1000)];
    expect(rangeWithoutLoneInstants(tracks, run)).toEqual({ ...range(100, 700), share: 0.98, isOnly: true });
  });

  it("is none without a blank, with many instants, and without work", () => {
    expect(rangeWithoutLoneInstants([track("slice", 9, 10, 990), track("instant", 2, 0, 1000)], run)).toBeNull();
    expect(rangeWithoutLoneInstants([track("slice", 9, 100, 700), track("instant", 99, 0, 1000)], run)).toBeNull();
    expect(rangeWithoutLoneInstants([track("instant", 2, 0, 1000)], run)).toBeNull();
    expect(rangeWithoutLoneInstants([track("counter", 9, 0, 1000), track("instant", 2, 0, 1000)], run)).toBeNull();
  });
});

describe("isBusyAllAlong", () => {
  const run = range(0, 1000);
  const track = (busy: number, rows: number, kind: "slice" | "rollup" = "slice") => ({
    busyTicks: ticks(busy),
    rows,
    kind,
  });

  it("is true where one track alone leaves less empty than a mostly empty run has", () => {
    expect(isBusyAllAlong([track(10, 1), track(600, 1)], run)).toBe(true);
    expect(isBusyAllAlong([track(500, 1)], run)).toBe(false);
    expect(isBusyAllAlong([], run)).toBe(false);
  });

  it("counts only what cannot overlap: durations of nested slices, and of tracks in a rollup, do", () => {
    expect(isBusyAllAlong([track(1200, 3)], run)).toBe(false);
    expect(isBusyAllAlong([track(1800, 3)], run)).toBe(true);
    expect(isBusyAllAlong([track(5000, 1, "rollup")], run)).toBe(false);
  });
});

describe("findBusyRange", () => {
  const options = { rootLevel: 6, leafEvents: 30, tilesPerPage: 8 };
  const run = range(0, 1_000_000);
  const burst: EventInput[] = Array.from({ length: 1200 }, (_, k) => ({
    start: 700_000 + k,
    duration: 1,
    row: 0,
    name: 0,
  }));
  const lonely: EventInput = { start: 3, duration: 5, row: 0, name: 0 };

  function clientOf(events: readonly EventInput[]) {
    const pyramid = new Pyramid([...sliceTiles(0, events, options), ...rollupTiles(1, events, options, 500)], 8);
    const source = {
      shape: async () => pyramid.shape(),
      page: async (key: { block: number; level: number; index: number; slot: number }) =>
        pyramid.pages.get(`0/${key.level}/${key.index}/${key.slot}`)!.bytes,
    };
    return new StillClient(source, options.rootLevel);
  }
  const rollup = { track: 1, kind: "rollup", children: [0] } as const;

  it("closes in on a burst, to about a pixel on each side", async () => {
    const busy = await findBusyRange(clientOf([lonely, ...burst]), [rollup], run);
    expect(Number(busy!.startTicks)).toBeLessThanOrEqual(700_013);
    expect(Number(busy!.startTicks)).toBeGreaterThan(699_900);
    expect(Number(busy!.endTicks)).toBeGreaterThanOrEqual(701_180);
    expect(Number(busy!.endTicks)).toBeLessThan(701_300);
    expect(busy!.share).toBeLessThanOrEqual(1);
    expect(busy!.share).toBeGreaterThanOrEqual(0.99);
  });

  it("is none where the run is filled, and not the only one where there is much elsewhere", async () => {
    const everywhere = burst.map((event, k) => ({ ...event, start: 800 * k }));
    expect(await findBusyRange(clientOf(everywhere), [rollup], run)).toBeNull();
    const few = Array.from({ length: 20 }, (_, k) => ({ ...lonely, start: 20 * k }));
    const busy = await findBusyRange(clientOf([...few, ...burst]), [rollup], run);
    expect([busy!.isOnly, busy!.share]).toEqual([false, 1200 / 1220]);
  });

  it("closes in on the densest of several bursts, and says so", async () => {
    const other = burst.slice(0, 900).map((event) => ({ ...event, start: event.start - 500_000 }));
    const busy = await findBusyRange(clientOf([...other, ...burst]), [rollup], run);
    expect(Number(busy!.startTicks)).toBeGreaterThan(699_000);
    expect(Number(busy!.endTicks)).toBeLessThan(702_000);
    expect(busy!.share).toBeGreaterThan(0.5);
    expect(busy!.share).toBeLessThanOrEqual(1200 / 2100);
    expect(busy!.isOnly).toBe(false);
  });

  it("leaves out the scattered tenth before the densest burst", async () => {
    const other = burst.slice(0, 900).map((event) => ({ ...event, start: event.start - 500_000 }));
    const scattered = burst.slice(0, 100).map((event, k) => ({ ...event, start: 640_000 + 600 * k }));
    const busy = await findBusyRange(clientOf([...other, ...scattered, ...burst]), [rollup], run);
    expect(Number(busy!.startTicks)).toBeGreaterThan(699_000);
    expect(Number(busy!.endTicks)).toBeLessThan(702_500);
    expect(busy!.share).toBeGreaterThan(0.5);
  });

  it("is none where something runs all the time, though little starts", async () => {
    const long = { start: 5, duration: 900_000, row: 0, name: 0 };
    expect(await findBusyRange(clientOf([long, ...burst]), [rollup], run)).toBeNull();
  });

  it("draws the same as the tile client would", async () => {
    const client = clientOf(burst);
    const view = fit(run, 1000);
    await client.complete([rollup], view);
    expect(client.coverage(rollup, view).complete).toBe(true);
  });
});
