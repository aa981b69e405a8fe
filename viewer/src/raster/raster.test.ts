import { type Coverage, coverage, decodePage, type TileData, ticks, type View } from "@tilescope/client";
import { encodePage } from "@tilescope/client/testing/page";
import { type EventInput, Pyramid, sliceTiles } from "@tilescope/client/testing/pyramid";
import { Random } from "@tilescope/client/testing/random";
import type { BinInput } from "@tilescope/client/testing/tile-input";
import { describe, expect, test } from "vitest";
import { AGGREGATE, INDIVIDUAL } from "./accumulator";
import { ColorTable } from "./palette";
import { type RasterImage, type RasterTrack, ROWS_PER_LANE, RowRaster } from "./raster";

const ROOT_LEVEL = 4;
const RUN_TICKS = 65_536;

const colors = new ColorTable({ theme: "light", by: "meaning", only: null });
colors.set(
  0,
  [
    { name: "a", category: "" },
    { name: "b", category: "" },
  ],
  ({ name }) => (name === "a" ? "compute" : "operator"),
);

function pyramid(events: readonly EventInput[], leafEvents: number): Pyramid {
  const options = { rootLevel: ROOT_LEVEL, leafEvents, tilesPerPage: 3 };
  return new Pyramid(sliceTiles(0, events, options), options.tilesPerPage);
}

function covered(source: Pyramid, view: View, kind: RasterTrack["kind"] = "slice"): Coverage {
  const tiles = new Map(source.tiles().map((tile) => [`${tile.track}/${tile.level}/${tile.index}`, tile]));
  const lookup = (track: number, level: number, index: number): TileData | undefined =>
    tiles.get(`${track}/${level}/${index}`);
  return coverage(lookup, source.shape(), { track: 0, kind }, view, ROOT_LEVEL);
}

function draw(events: readonly EventInput[], view: View, leafEvents = 1000, kind: RasterTrack["kind"] = "slice") {
  const rows = 1 + Math.max(0, ...events.map((event) => event.row));
  const { draws } = covered(pyramid(events, leafEvents), view, kind);
  const track = { kind, draws, firstLane: 0, firstRow: 0, rows, lanes: 1 };
  return new RowRaster().draw([track], view, rows, colors);
}

function viewOf(start: number, ticksPerPx: number, widthPx: number): View {
  const whole = Math.floor(start);
  return { startTicks: ticks(whole), startFraction: start - whole, ticksPerPx, widthPx };
}

/** RGBA of a pixel of a lane; `row` counts from the lane's bottom. */
function pixelAt(image: RasterImage, lane: number, x: number, row: number): number {
  const { top, count } = image.laneRows;
  const packed = new Uint32Array(image.pixels.buffer, 0, image.rows * image.widthPx);
  const fromTop = count[lane] === 1 ? 0 : count[lane]! - 1 - row;
  return packed[(top[lane]! + fromTop) * image.widthPx + x]!;
}

function lanesOf(image: RasterImage, pixel: (lane: number, x: number) => string): string[] {
  return Array.from({ length: image.lanes }, (_, lane) =>
    Array.from({ length: image.widthPx }, (_, x) => pixel(lane, x)).join(""),
  );
}

/** `.` nothing; `1` to `8` rows of a bar in full colour, `8` is as high as the lane; `a` to `h` eighths of an edge. */
function asText(image: RasterImage): string[] {
  return lanesOf(image, (lane, x) => {
    const opacities = Array.from({ length: ROWS_PER_LANE }, (_, row) => pixelAt(image, lane, x, row) >>> 24);
    const bar = opacities.findIndex((opacity) => opacity < 255);
    if (bar !== 0) {
      return String(bar < 0 ? ROWS_PER_LANE : bar);
    }
    expect(new Set(opacities).size, "an edge is as high as the lane").toBe(1);
    return opacities[0] === 0 ? "." : "abcdefgh".charAt(Math.max(0, Math.round((8 * opacities[0]!) / 255) - 1));
  });
}

/** Dominant colour per pixel: `a` or `b` by its name, `|` for a dividing line, `*` for a mixture. */
function asNames(image: RasterImage): string[] {
  return lanesOf(image, (lane, x) => {
    const value = pixelAt(image, lane, x, 0);
    const color = value & 0xffffff;
    const letters = new Map([
      [colors.table[0], "a"],
      [colors.table[1], "b"],
      [colors.divider, "|"],
    ]);
    return value === 0 ? "." : (letters.get(color) ?? "*");
  });
}

describe("golden images", () => {
  test("edges are as opaque as they are covered, nesting is in rows", () => {
    const events = [
      { start: 10, duration: 100, row: 0, name: 0 },
      { start: 15, duration: 30, row: 1, name: 1 },
      { start: 45, duration: 20, row: 1, name: 0 },
    ];
    const image = draw(events, viewOf(0, 10, 14));
    expect(asText(image)).toEqual([".8888888888...", ".d8888d......"].map((row) => row.padEnd(14, ".")));
    expect(asNames(image)).toEqual([".aaaaaaaaaa...", ".bbb*aa......."]);
  });

  test("a line divides neighbours of one colour, where they have room for it", () => {
    const slice = (start: number, end: number, name = 0) => ({ start, duration: end - start, row: 0, name });
    const names = (...events: EventInput[]) => asNames(draw(events, viewOf(0, 10, 16)))[0];
    expect(names(slice(0, 40), slice(40, 80), slice(80, 100), slice(100, 160))).toBe("aaaa|aaaaa|aaaaa");
    // Other colours tell themselves apart where a line would take much.
    expect(names(slice(0, 40), slice(40, 80, 1))).toBe("aaaabbbb........");
    expect(names(slice(0, 40), slice(40, 140, 1))).toBe("aaaa|bbbbbbbbb..");
    // The pixel that both share; a gap that is narrower than a pixel.
    expect(names(slice(0, 45), slice(45, 100))).toBe("aaaa|aaaaa......");
    expect(names(slice(0, 43), slice(47, 100))).toBe("aaaa|aaaaa......");
    expect(names(slice(0, 40), slice(50, 100))).toBe("aaaa.aaaaa......");
    // A slice that begins at the edge of the picture follows nothing of the lane before.
    const lanes = draw(
      [0, 1].map((row) => ({ start: 0, duration: 160, row, name: 0 })),
      viewOf(0, 10, 16),
    );
    expect(asNames(lanes)).toEqual(["a".repeat(16), "a".repeat(16)]);
  });

  test("no line divides a slice where its tiles meet", () => {
    const view = viewOf(0, 500, 120);
    const { draws } = covered(pyramid([{ start: 0, duration: 65_000, row: 0, name: 0 }], 1000), view);
    const middle = ticks(30_000);
    const halves = draws.flatMap((whole) => [
      { ...whole, clipEnd: middle },
      { ...whole, clipStart: middle },
    ]);
    const track: RasterTrack = { kind: "slice", draws: halves, firstLane: 0, firstRow: 0, rows: 1, lanes: 1 };
    expect(asNames(new RowRaster().draw([track], view, 1, colors))).toEqual(["a".repeat(120)]);
  });

  test("by duration, colours are those of durations, and of the mean of what is in a bin", () => {
    const byDuration = new ColorTable({ theme: "light", by: "duration", only: null }, 1000);
    byDuration.set(0, [{ name: "a", category: "" }], () => "compute");
    const events = [
      { start: 0, duration: 500, row: 0, name: 0 },
      { start: 1000, duration: 40_000, row: 0, name: 0 },
    ];
    const { draws } = covered(pyramid(events, 1000), viewOf(0, 500, 100));
    const track: RasterTrack = { kind: "slice", draws, firstLane: 0, firstRow: 0, rows: 1, lanes: 1 };
    const image = new RowRaster().draw([track], viewOf(0, 500, 100), 1, byDuration);
    const colorAt = (x: number) => pixelAt(image, 0, x, 0) & 0xffffff;
    expect([colorAt(0), colorAt(50)]).toEqual([byDuration.table[0], byDuration.table[2]]);
  });

  test("a fraction of a tick shifts the picture by part of a pixel", () => {
    const events = [{ start: 3, duration: 2, row: 0, name: 0 }];
    expect(asText(draw(events, viewOf(0, 1, 8)))).toEqual(["...88..."]);
    expect(asText(draw(events, viewOf(0.5, 1, 8)))).toEqual(["..d8d..."]);
    expect(asText(draw(events, viewOf(2.25, 0.25, 8)))).toEqual(["...88888"]);
  });

  test("what is shorter than a pixel is a bar, and more of it a higher one", () => {
    const events = [
      { start: 5, duration: 0, row: 0, name: 0 },
      { start: 100, duration: 1, row: 0, name: 0 },
      { start: 200, duration: 50, row: 0, name: 1 },
      { start: 395, duration: 8, row: 0, name: 1 },
    ];
    // Pixel 3 has the larger part of the last slice, and pixel 4 the rest: less than half a row, without a minimum.
    expect(asText(draw(events, viewOf(0, 100, 6)))).toEqual(["1141.."]);
    expect(asNames(draw(events, viewOf(0, 100, 6)))).toEqual(["aabb.."]);
  });

  test("a slice of about a pixel has one pixel for itself wherever it lies", () => {
    const event = (start: number) => [{ start, duration: 12, row: 0, name: 0 }];
    expect(asText(draw(event(20), viewOf(0, 10, 6)))).toEqual(["..8b.."]);
    expect(asText(draw(event(23), viewOf(0, 10, 6)))).toEqual(["..8d.."]);
    expect(asText(draw(event(26), viewOf(0, 10, 6)))).toEqual(["..c8.."]);
  });

  test("what stands alone is a little higher than what is in company", () => {
    const events = [5, 41, 48, 55, 100].map((start) => ({ start, duration: 1, row: 0, name: 0 }));
    expect(asText(draw(events, viewOf(0, 10, 12)))).toEqual(["3...21....3."]);
  });

  test("only what is busy throughout is as high as its lane", () => {
    const events = [0, 10, 20, 30].map((start, k) => ({ start, duration: 9 - 3 * k, row: 0, name: 0 }));
    expect(asText(draw(events, viewOf(0, 10, 5)))).toEqual(["7521."]);
    expect(draw(events, viewOf(0, 10, 5)).rows).toBe(ROWS_PER_LANE);
  });

  test("lanes without bars have one row of pixels", () => {
    const events = [0, 1, 2].map((row) => ({ start: 0, duration: row === 1 ? 5 : 40, row, name: 0 }));
    const image = draw(events, viewOf(0, 10, 5));
    expect([...image.laneRows.count]).toEqual([1, ROWS_PER_LANE, 1]);
    expect([...image.laneRows.top]).toEqual([0, 1, 9]);
    expect(image.rows).toBe(ROWS_PER_LANE + 2);
    expect(image.pixels.length).toBe(4 * 5 * image.rows);
    expect(asText(image)).toEqual(["8888.", "4....", "8888."]);
  });

  test("with one row to a lane opacity says how busy it is", () => {
    const events = [
      { start: 0, duration: 20, row: 0, name: 0 },
      { start: 40, duration: 5, row: 0, name: 0 },
    ];
    const view = viewOf(0, 10, 6);
    const track = {
      kind: "slice",
      draws: covered(pyramid(events, 1000), view).draws,
      firstLane: 0,
      firstRow: 0,
    } as const;
    const image = new RowRaster(1).draw([{ ...track, rows: 1, lanes: 1 }], view, 1, colors);
    expect(Array.from({ length: 6 }, (_, x) => image.pixels[4 * x + 3])).toEqual([255, 255, 0, 0, 179, 0]);
  });

  test("instants are ticks of a pixel", () => {
    const events = [5, 30, 31, 79].map((start) => ({ start, duration: 0, row: 0, name: 0 }));
    expect(asText(draw(events, viewOf(0, 10, 10), 1000, "instant"))).toEqual(["8..8...8.."]);
  });

  test("bins are as high as they are busy and flagged as aggregates", () => {
    const events = Array.from({ length: 64 }, (_, k) => ({
      start: 64 * k,
      duration: k < 32 ? 16 : 32,
      row: 0,
      name: k < 32 ? 0 : 1,
    }));
    const image = draw(events, viewOf(0, 128, 36), 10);
    expect(asText(image)).toEqual([`${"2".repeat(16)}${"4".repeat(16)}....`]);
    expect(asNames(image)).toEqual([`${"a".repeat(16)}${"b".repeat(16)}....`]);
    expect([...image.flags.subarray(0, 32)].every((flag) => flag === AGGREGATE)).toBe(true);
    expect([...image.cover.subarray(0, 32)]).toEqual([...Array(16).fill(0.25), ...Array(16).fill(0.5)]);
  });
});

/** Five pixels of one bin each, of a tile with these bins of name 1. */
function drawBins(
  bins: readonly Pick<BinInput, "bin" | "count" | "busy">[],
  level: number,
  more: Partial<RasterTrack> = {},
  view = viewOf(0, 4 ** level, 5),
) {
  const rest = { row: 0, name: 1, share: 255, longest: 1n };
  const tile = {
    level,
    index: 0,
    slot: 0,
    flags: 0,
    events: 4,
    slices: [],
    bins: bins.map((b) => ({ ...b, ...rest })),
  };
  const [decoded] = decodePage(encodePage(0, [tile]), { block: 0, level, index: 0, slot: 0 }).tiles;
  const drawn = { tile: decoded!, clipStart: ticks(0), clipEnd: ticks(256 * 4 ** level), sharp: true };
  const track = { kind: "slice", draws: [drawn], firstLane: 0, firstRow: 0, rows: 1, lanes: 1, ...more } as const;
  const image = new RowRaster().draw([track], view, 1, colors);
  return { image, busy: [...decoded!.bins.busy] };
}

test("a rollup's busy time is a part of all its lanes", () => {
  const { image } = drawBins([{ bin: 2, count: 4, busy: 3n }], 0, { kind: "rollup", lanes: 6 });
  expect([...image.cover]).toEqual([0, 0, 0.5, 0, 0]);
});

describe("busy time that is rounded", () => {
  // Bins of 4096 ticks, rounded to multiples of 12.
  const bins = [
    { bin: 1, count: 0, busy: 3n },
    { bin: 2, count: 4, busy: 4095n },
    { bin: 3, count: 0, busy: 3n },
  ];

  test("to nothing leaves a bin visible, though no event starts in it", () => {
    const { image, busy } = drawBins(bins, 6);
    expect([busy[0], busy[2]]).toEqual([0, 0]);
    expect(asText(image)).toEqual([".181."]);
    expect(asNames(image)).toEqual([".bbb."]);
    expect([...image.flags]).toEqual([0, AGGREGATE, AGGREGATE, AGGREGATE, 0]);
  });

  test("to more than a bin's width fills the bin, and no more", () => {
    const { image, busy } = drawBins(bins, 6);
    expect(busy[1]).toBe(4104);
    expect([...image.cover]).toEqual([0, 0, 1, 0, 0]);
  });

  test("leaves every bin visible at every zoom", () => {
    const many = Array.from({ length: 256 }, (_, bin) => ({ bin, count: 0, busy: bin === 200 ? 4095n : 3n }));
    for (const ticksPerPx of [100, 1000, 4096, 5000, 16_384]) {
      const { image } = drawBins(many, 6, {}, viewOf(0, ticksPerPx, 60));
      expect(asText(image)[0]!.includes(".")).toBe(false);
    }
  });
});

test("only the lanes that a track is given are painted", () => {
  const events = [0, 1, 2, 3].map((row) => ({ start: 0, duration: 40, row, name: 0 }));
  const { draws } = covered(pyramid(events, 10), viewOf(0, 10, 4));
  const track: RasterTrack = { kind: "slice", draws, firstLane: 1, firstRow: 1, rows: 2, lanes: 1 };
  const raster = new RowRaster();
  expect(asText(raster.draw([track], viewOf(0, 10, 4), 4, colors))).toEqual(["....", "8888", "8888", "...."]);
  expect(asText(raster.draw([], viewOf(0, 10, 4), 4, colors))).toEqual(["....", "....", "....", "...."]);
});

test("names that have not arrived are neutral", () => {
  const image = draw([{ start: 0, duration: 40, row: 0, name: 999 }], viewOf(0, 10, 4));
  expect(new Uint32Array(image.pixels.buffer)[0]! & 0xffffff).toBe(colors.neutral);
});

describe("against a brute-force computation", () => {
  /** Non-overlapping slices per row, from single ticks to thousands, with gaps, crowds and zero lengths. */
  function randomEvents(random: Random, rows: number): EventInput[] {
    const events: EventInput[] = [];
    for (let row = 0; row < rows; row++) {
      let start = random.below(500);
      while (start < RUN_TICKS) {
        const duration = Math.min(random.pick([0, 1, 2, 5, 20, 60, 300, 3000]) + random.below(4), RUN_TICKS - start);
        events.push({ start, duration, row, name: random.below(2) });
        start += duration + random.pick([0, 0, 1, 3, 50, 700]) + (duration === 0 ? 1 : 0);
      }
    }
    return events;
  }

  test.each(Array.from({ length: 12 }, (_, seed) => seed))(
    "covered area is busy time, and no event is invisible (seed %i)",
    (seed) => {
      const random = new Random(seed);
      const rows = 1 + random.below(3);
      const events = randomEvents(random, rows);
      const source = pyramid(events, random.pick([20, 100, 400]));
      const raster = new RowRaster();
      for (let round = 0; round < 12; round++) {
        const widthPx = 40 + random.below(300);
        const ticksPerPx = 0.3 * 1500 ** random.next();
        const view = viewOf(Math.max(0, random.next() * RUN_TICKS - (widthPx * ticksPerPx) / 2), ticksPerPx, widthPx);
        const { draws, complete } = covered(source, view);
        expect(complete).toBe(true);
        const track: RasterTrack = { kind: "slice", draws, firstLane: 0, firstRow: 0, rows, lanes: 1 };
        const image = raster.draw([track], view, rows, colors);
        const from = Number(view.startTicks) + view.startFraction;
        for (let row = 0; row < rows; row++) {
          checkLane(
            image,
            events.filter((event) => event.row === row),
            row,
            from,
            view,
          );
        }
      }
    },
  );

  function checkLane(image: RasterImage, events: readonly EventInput[], row: number, from: number, view: View): void {
    const { ticksPerPx, widthPx } = view;
    const x = (time: number): number => (time - from) / ticksPerPx;
    const exact = new Float64Array(widthPx);
    const touched = new Uint8Array(widthPx);
    for (const event of events) {
      const [x0, x1] = [x(event.start), x(event.start + event.duration)];
      for (let px = Math.max(0, Math.floor(x0)); px < Math.min(widthPx, x1); px++) {
        exact[px]! += Math.max(0, Math.min(x1, px + 1) - Math.max(x0, px));
      }
      // Somewhere within the event's own pixels and those of the bin that it may be part of.
      const reach = 2;
      const seen = [];
      for (let px = Math.floor(x0) - reach; px <= Math.ceil(x1) + reach; px++) {
        seen.push(px < 0 || px >= widthPx || pixelAt(image, row, px, 0) !== 0);
      }
      expect(seen.includes(true)).toBe(true);
      for (let px = Math.floor(x0) - reach; px <= Math.ceil(x1) + reach; px++) {
        touched[px] = 1;
      }
    }
    const cover = image.cover.subarray(row * widthPx, (row + 1) * widthPx);
    // A bin spreads its busy time over its width of at most 2 px, so only sums over more are exact.
    const total = exact.reduce((sum, value) => sum + value, 0);
    const painted = cover.reduce((sum, value) => sum + value, 0);
    expect(Math.abs(total - painted)).toBeLessThan(4 + 1e-3 * total);
    for (let px = 0; px < widthPx; px++) {
      expect(cover[px]).toBeLessThan(2.001);
      if (touched[px] === 0) {
        expect(cover[px]).toBe(0);
      }
    }
  }

  test("leaf tiles are exact in every pixel", () => {
    const random = new Random(99);
    const events = randomEvents(random, 1).slice(0, 300);
    const view = viewOf(100.25, 37.5, 200);
    const image = draw(events, view, 1_000_000);
    for (let px = 0; px < 200; px++) {
      const [from, to] = [100.25 + 37.5 * px, 100.25 + 37.5 * (px + 1)];
      const busy = events.reduce(
        (sum, event) => sum + Math.max(0, Math.min(event.start + event.duration, to) - Math.max(event.start, from)),
        0,
      );
      expect(image.cover[px]).toBeCloseTo(busy / 37.5, 4);
      expect(image.flags[px]! & AGGREGATE).toBe(0);
      const starts = events.some((event) => event.start >= from && event.start < to && event.duration < 37);
      if (starts) {
        expect(image.flags[px]! & INDIVIDUAL).toBe(INDIVIDUAL);
      }
    }
  });
});
