import { type DrawTile, fit, ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { HitGrid } from "./hit-grid";
import { HIT_ROWS, HitRaster, type HitTrack } from "./hit-raster";

const VEIL = 0x80ffffff;
const MARK = 0xff0000ff;
const RANGE = { startTicks: ticks(0), endTicks: ticks(400) };

interface TestSlice {
  readonly start: number;
  readonly end: number;
  readonly row?: number;
}

function drawOf(slices: readonly TestSlice[], originTicks = 0n): DrawTile {
  const column = (valueIn: (slice: TestSlice) => number) => Float64Array.from(slices, valueIn);
  return {
    tile: {
      originTicks: ticks(originTicks),
      slices: {
        length: slices.length,
        startOffset: column(({ start }) => start - Number(originTicks)),
        endOffset: column(({ end }) => end - Number(originTicks)),
        row: column(({ row }) => row ?? 0),
        wide: null,
      },
    },
    clipStart: RANGE.startTicks,
    clipEnd: RANGE.endTicks,
    sharp: true,
  } as unknown as DrawTile;
}

function trackOf(slices: readonly TestSlice[] = [], more: Partial<HitTrack> = {}): HitTrack {
  return {
    ...{ id: 7, kind: "slice", draws: [drawOf(slices)], firstLane: 0, firstRow: 0, rows: 1, lanes: 1 },
    ...{ veil: VEIL, grid: null },
    ...more,
  };
}

/** Bins of 4 ticks: number → hits that start in it, and busy ticks. */
function gridOf(bins: Readonly<Record<number, readonly [number, number]>>, row = 0, range = RANGE): HitGrid {
  const numbers = Object.keys(bins).map(Number);
  return HitGrid.fromColumns(range, 4n, {
    track: numbers.map(() => 7),
    row: numbers.map(() => row),
    start: numbers.map((bin) => String(4 * bin)),
    count: numbers.map((bin) => bins[bin]![0]),
    busy: numbers.map((bin) => String(bins[bin]![1])),
  });
}

/** Number of rows of a lane that are marked, veiled and clear, pixel by pixel. */
function columnsOf(grid: HitGrid | null, track: HitTrack, widthPx = 100, lane = 0) {
  const image = new HitRaster().draw([{ ...track, grid }], fit(RANGE, widthPx), track.firstLane + track.rows, MARK);
  const pixelAt = (x: number, row: number) => image.pixels[(lane * HIT_ROWS + row) * image.widthPx + x]!;
  const count = (x: number, color: number) =>
    Array.from({ length: HIT_ROWS }, (_, row) => pixelAt(x, row)).filter((pixel) => pixel === color).length;
  const all = Array.from({ length: widthPx }, (_, x) => x);
  return {
    marked: all.map((x) => count(x, MARK)),
    veiled: all.map((x) => count(x, VEIL)),
    clear: all.map((x) => count(x, 0)),
    spans: image.spans,
  };
}

it("veils everything while nothing is known of hits", () => {
  const { veiled } = columnsOf(null, trackOf([{ start: 0, end: 400 }]));
  expect(veiled.every((rows) => rows === HIT_ROWS)).toBe(true);
});

it("marks hits of a shifted clock where its slices are drawn", () => {
  const { marked, clear } = columnsOf(
    gridOf({ 5: [1, 4], 6: [0, 4], 7: [0, 4] }).later(100n),
    trackOf([{ start: 120, end: 132 }]),
  );
  const plain = columnsOf(gridOf({ 5: [1, 4], 6: [0, 4], 7: [0, 4] }), trackOf([{ start: 20, end: 32 }]));
  expect({ marked: marked.slice(25), clear: clear.slice(25) }).toEqual({
    marked: [...plain.marked.slice(0, 75)],
    clear: [...plain.clear.slice(0, 75)],
  });
});

it("marks a bin with one hit, however short, and nothing else", () => {
  for (const widthPx of [30, 100, 190, 777]) {
    const { marked } = columnsOf(gridOf({ 50: [1, 0] }), trackOf(), widthPx);
    const seen = marked.flatMap((rows, x) => (rows > 0 ? [x] : []));
    expect(seen.length).toBeGreaterThan(0);
    const binPx = widthPx / 100;
    expect(seen.every((x) => x + 1 > 50 * binPx - 1 && x < 51 * binPx + 1)).toBe(true);
  }
});

it("says by heights how busy pixels are with hits", () => {
  const { marked } = columnsOf(gridOf({ 10: [1, 2], 11: [1, 4], 12: [0, 1], 30: [3, 3] }), trackOf());
  expect([marked[10], marked[11], marked[12], marked[30]]).toEqual([4, HIT_ROWS, 2, 6]);
  const summed = columnsOf(gridOf({ 10: [4, 4] }), trackOf([], { lanes: 8 }));
  expect(summed.marked[10]).toBe(4); // alone: it must be seen
});

it("shows hits of some width in their own colours, and tells them from others by the bins within them", () => {
  const slices = [
    { start: 40, end: 80 },
    { start: 80, end: 120 },
    { start: 200, end: 203 },
  ];
  const bins = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [10 + k, [k === 0 ? 1 : 0, 4] as const]));
  const { clear, veiled, spans } = columnsOf(gridOf(bins), trackOf(slices));
  expect(spans).toEqual([{ lane: 0, fromPx: 10, toPx: 20 }]);
  expect([clear[9], clear[10], clear[19], clear[20]]).toEqual([0, HIT_ROWS, HIT_ROWS, 0]);
  expect(veiled[25]).toBe(HIT_ROWS);
});

it("tells hits that begin before what was counted, and is silent on those beside it", () => {
  const counted = { startTicks: ticks(200), endTicks: ticks(240) };
  const bins = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [50 + k, [0, 4] as const]));
  const grid = gridOf(bins, 0, counted);
  const { spans } = columnsOf(
    grid,
    trackOf([
      { start: 4, end: 390 },
      { start: 391, end: 399 },
    ]),
  );
  expect(spans).toEqual([{ lane: 0, fromPx: 1, toPx: 97.5 }]);
});

it("keeps rows apart", () => {
  const track = trackOf([], { firstLane: 0, firstRow: 2, rows: 2 });
  const grid = gridOf({ 5: [1, 4] }, 3);
  expect(columnsOf(grid, track, 100, 0).marked[5]).toBe(0);
  expect(columnsOf(grid, track, 100, 1).marked[5]).toBe(HIT_ROWS);
});

it("calls no bin whole that lacks a tick, be it of 2^60", () => {
  const bin = 4n ** 30n;
  const range = { startTicks: ticks(0), endTicks: ticks(4n * bin) };
  const columns = { track: [7, 7], row: [0, 0], start: ["0", String(bin)], count: [1, 1] };
  const grid = HitGrid.fromColumns(range, bin, { ...columns, busy: [String(bin - 1n), String(bin)] });
  const lane = grid.lane(7, 0)!;
  expect(grid.isHit(lane, 0, Number(bin))).toBe(false);
  expect(grid.isHit(lane, Number(bin), 2 * Number(bin))).toBe(true);
  expect(grid.isHit(lane, Number(bin) / 2, Number(bin))).toBeNull();
  expect(grid.lane(7, 1)).toBeNull();
});
