import { ticks } from "@tilescope/client";
import { drawsOf, viewOf } from "@tilescope/client/testing/draw";
import { counterTiles, type SampleEvent } from "@tilescope/client/testing/pyramid";
import { Random } from "@tilescope/client/testing/random";
import { describe, expect, test } from "vitest";
import { counterColumns, counterPieces } from "./counter";
import type { CounterEnds } from "./counter-ends";

const OPTIONS = { rootLevel: 3, leafEvents: 100, tilesPerPage: 4 };

function columns(
  samples: readonly SampleEvent[],
  start: number,
  ticksPerPx: number,
  widthPx: number,
  leafEvents = 100,
  ends: CounterEnds = { firstTicks: undefined, lastTicks: undefined, endTicks: ticks(1_000_000) },
) {
  const view = viewOf(start, ticksPerPx, widthPx);
  const options = { ...OPTIONS, leafEvents };
  return counterColumns(drawsOf(counterTiles(0, samples, options), view, options, "counter"), view, ends);
}

test("a value is in force until the next sample, and none before the first", () => {
  const { min, max, mean } = columns(
    [
      { time: 20, value: 4 },
      { time: 35, value: 8 },
    ],
    0,
    10,
    6,
  );
  expect([...min]).toEqual([Number.NaN, Number.NaN, 4, 4, 8, 8]);
  expect([...max]).toEqual([Number.NaN, Number.NaN, 4, 8, 8, 8]);
  expect([...mean]).toEqual([Number.NaN, Number.NaN, 4, 6, 8, 8]);
});

test("a peak that lasts no time is in the range, not in the mean", () => {
  const { max, mean } = columns(
    [
      { time: 0, value: 1 },
      { time: 15, value: 99 },
      { time: 15, value: 1 },
    ],
    0,
    10,
    3,
  );
  expect([...max]).toEqual([1, 99, 1]);
  expect([...mean]).toEqual([1, 1, 1]);
});

describe("against a brute-force computation", () => {
  const random = new Random(21);
  let time = 0;
  const samples = Array.from({ length: 300 }, () => {
    time += random.pick([0, 1, 7, 60, 400]);
    return { time, value: random.below(1000) };
  });

  function inForce(tick: number): number {
    return samples.findLast((sample) => sample.time <= tick)?.value ?? Number.NaN;
  }

  function exact(from: number, to: number): { low: number; high: number } {
    const values = [inForce(from), ...samples.filter((s) => s.time >= from && s.time < to).map((s) => s.value)];
    const numbers = values.filter((value) => !Number.isNaN(value));
    return { low: Math.min(...numbers), high: Math.max(...numbers) };
  }

  test("leaf tiles are exact in every column", () => {
    const { min, max } = columns(samples, 50, 30, 300, 100_000);
    for (let x = 0; x < 300; x++) {
      const { low, high } = exact(50 + 30 * x, 80 + 30 * x);
      expect([min[x], max[x]]).toEqual([low, high]);
    }
  });

  test("bins lose no extreme, and invent none beyond the bins that touch the column", () => {
    const { min, max, mean } = columns(samples, 0, 64, 200, 10);
    for (let x = 0; x < 200; x++) {
      const inner = exact(64 * x, 64 * (x + 1));
      const outer = exact(64 * (x - 2), 64 * (x + 3));
      expect(min[x]).toBeLessThanOrEqual(inner.low);
      expect(max[x]).toBeGreaterThanOrEqual(inner.high);
      expect(min[x]).toBeGreaterThanOrEqual(outer.low);
      expect(max[x]).toBeLessThanOrEqual(outer.high);
      expect(mean[x]).toBeGreaterThanOrEqual(min[x]!);
      expect(mean[x]).toBeLessThanOrEqual(max[x]!);
    }
  });
});

describe("before the first sample and behind the last", () => {
  const samples = [
    { time: 100, value: 3 },
    { time: 200, value: 9 },
    { time: 301, value: 5 },
  ];
  const ends = { firstTicks: ticks(100), lastTicks: ticks(301), endTicks: ticks(10_000) };

  test("the value is there to the end of the run, and not known", () => {
    const { min, max, mean, knownToPx } = columns(samples, 9_000, 100, 20, 100, ends);
    expect(knownToPx).toBe(-86);
    expect([...min]).toEqual([...Array(10).fill(5), ...Array(10).fill(Number.NaN)]);
    expect([min, mean]).toEqual([max, max]);
  });

  test("the column of the last sample is known, the next one is not", () => {
    const { min, max, knownToPx } = columns(samples, 0, 100, 6, 100, ends);
    expect(knownToPx).toBe(4);
    expect([...min]).toEqual([Number.NaN, 3, 9, 5, 5, 5]);
    expect([...max]).toEqual([Number.NaN, 3, 9, 9, 5, 5]);
  });

  test("a sample at the very end of the run has its column", () => {
    const { min, knownToPx } = columns(samples, 0, 100, 6, 100, { ...ends, endTicks: ticks(301) });
    expect(knownToPx).toBe(4);
    expect([...min]).toEqual([Number.NaN, 3, 9, 5, Number.NaN, Number.NaN]);
  });

  test.each([1, 3, 7, 16, 40, 64, 100, 333, 2_000])(
    "bins end where leaf tiles do, at %i ticks a pixel",
    (ticksPerPx) => {
      const random = new Random(ticksPerPx);
      const dense = Array.from({ length: 400 }, (_, k) => ({ time: 50 + 7 * k, value: random.below(100) }));
      const lastTicks = ticks(50 + 7 * 399);
      const width = Math.ceil(6_000 / ticksPerPx);
      const ends = { firstTicks: ticks(50), lastTicks, endTicks: ticks(5_003) };
      const [leaves, bins] = [100_000, 10].map((leafEvents) => columns(dense, 0, ticksPerPx, width, leafEvents, ends));
      expect(bins!.knownToPx).toBe(leaves!.knownToPx);
      for (let x = 0; x < width; x++) {
        expect(Number.isNaN(bins!.min[x]!), `column ${x}`).toBe(Number.isNaN(leaves!.min[x]!));
        if (x >= leaves!.knownToPx) {
          expect([bins!.min[x], bins!.max[x], bins!.mean[x]]).toEqual([
            leaves!.min[x],
            leaves!.max[x],
            leaves!.mean[x],
          ]);
        }
      }
      expect(Number.isNaN(leaves!.min[Math.ceil(5_003 / ticksPerPx)] ?? Number.NaN)).toBe(true);
    },
  );

  test("what is not known is a piece of its own", () => {
    const drawn = columns(samples, 0, 100, 6, 100, ends);
    const pieces = counterPieces(drawn, 0, 10, 10);
    expect(pieces.map(({ isKnown, mean }) => [isKnown, mean[0], mean.at(-2)])).toEqual([
      [true, 1.5, 3.5],
      [false, 4.5, 5.5],
    ]);
  });
});

describe("counterPieces", () => {
  test("one piece per run of columns with a value, from top to bottom", () => {
    const nan = Number.NaN;
    const pieces = counterPieces(
      {
        ...{ min: Float64Array.of(0, nan, 5), max: Float64Array.of(10, nan, 5), mean: Float64Array.of(5, nan, 5) },
        knownToPx: 3,
      },
      ...([0, 10, 20] as const),
    );
    expect(pieces.length).toBe(2);
    expect(pieces[0]).toEqual({ isKnown: true, upper: [0, 0, 1, 0], lower: [0, 20, 1, 20], mean: [0.5, 10] });
  });

  test("level stretches have two points, and no corner is lost", () => {
    const values = Float64Array.of(5, 5, 5, 0, 10, 10);
    expect(counterPieces({ min: values, max: values, mean: values, knownToPx: 9 }, 0, 10, 10)[0]).toEqual({
      isKnown: true,
      upper: [0, 5, 3, 5, 3, 10, 4, 10, 4, 0, 6, 0],
      lower: [0, 5, 3, 5, 3, 10, 4, 10, 4, 0, 6, 0],
      mean: [0.5, 5, 2.5, 5, 3.5, 10, 4.5, 0, 5.5, 0],
    });
  });

  test("a constant counter lies in the middle", () => {
    const same = Float64Array.of(3);
    expect(counterPieces({ min: same, max: same, mean: same, knownToPx: 1 }, 3, 3, 20)[0]!.mean).toEqual([0.5, 10]);
  });
});
