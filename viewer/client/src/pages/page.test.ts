import { describe, expect, test } from "vitest";
import { encodePage } from "../testing/page";
import { Random } from "../testing/random";
import { LEAF, TERMINAL, type TileInput } from "../testing/tile-input";
import { FormatError } from "./error";
import { decodePage } from "./page";
import { placeSlices, sampleTime, sliceDuration, sliceStart } from "./tile";

const KEY = { block: 2, level: 1, index: 4, slot: 3 };

const interior: TileInput = {
  ...{ level: 1, index: 4, slot: 3, flags: 0, events: 9 },
  slices: [
    { start: 4000n, duration: 200n, row: 0, name: 5, ordinal: 70, flags: 1 },
    { start: 4300n, duration: 80n, row: 1, name: 6, ordinal: 81, flags: 2 },
  ],
  bins: [{ bin: 255, row: 2, count: 8, busy: 3n, name: 9, share: 200, longest: 2n }],
};
const leaf: TileInput = {
  ...{ level: 1, index: 5, slot: 0, flags: LEAF, events: 1, bins: [] },
  slices: [{ start: 5120n, duration: 0n, row: 0, name: 1, ordinal: 0, flags: 0 }],
};
const counter: TileInput = {
  ...{ level: 1, index: 5, slot: 1, flags: LEAF, events: 2, slices: [], bins: [], carry: 2.5 },
  samples: [
    { time: 5121n, value: 1.25, ordinal: 3 },
    { time: 5121n, value: -4, ordinal: 4 },
  ],
};
const rollup: TileInput = {
  ...{ level: 1, index: 6, slot: 1, flags: TERMINAL, events: 0, slices: [], bins: [] },
  counterBins: [{ bin: 7, n: 2, first: 1, last: 2, min: 0.5, max: 3, mean: 1.5 }],
};

test("tiles get their own part of every column", () => {
  const { tiles, sizeBytes, key } = decodePage(encodePage(2, [interior, leaf, counter, rollup]), KEY);
  expect(key).toEqual(KEY);
  expect(sizeBytes).toBeGreaterThan(100);
  expect(tiles.map((tile) => [tile.track, tile.level, tile.index, tile.kind, tile.originTicks, tile.binTicks])).toEqual(
    [
      [67, 1, 4, "interior", 4096n, 4],
      [64, 1, 5, "leaf", 5120n, 4],
      [65, 1, 5, "leaf", 5120n, 4],
      [65, 1, 6, "terminal", 6144n, 4],
    ],
  );
  const [first, second, third, fourth] = tiles as [
    (typeof tiles)[0],
    (typeof tiles)[0],
    (typeof tiles)[0],
    (typeof tiles)[0],
  ];
  expect([...first.slices.startOffset]).toEqual([-96, 204]);
  expect([...first.slices.endOffset]).toEqual([104, 284]);
  expect([...first.slices.row, ...first.slices.name, ...first.slices.ordinal]).toEqual([0, 1, 5, 6, 70, 81]);
  expect([...first.slices.flags]).toEqual([1, 2]);
  expect([sliceStart(first, 0), sliceDuration(first, 1)]).toEqual([4000n, 80n]);
  expect([first.bins.bin[0], first.bins.row[0], first.bins.count[0], first.bins.busy[0]]).toEqual([255, 2, 8, 3]);
  expect([first.bins.name[0], first.bins.share[0], first.bins.exact]).toEqual([9, 200, null]);
  expect(second.slices.length).toBe(1);
  expect(second.carry).toBeNaN();
  expect([...third.samples.value]).toEqual([1.25, -4]);
  expect([third.carry, sampleTime(third, 1), third.samples.ordinal[1]]).toEqual([2.5, 5121n, 4]);
  const { bin, n, first: opening, last, min, max, mean } = fourth.counterBins;
  expect([bin[0], n[0], opening[0], last[0], min[0], max[0], mean[0]]).toEqual([7, 2, 1, 2, 0.5, 3, 1.5]);
});

test("times beyond 2**53 stay exact", () => {
  const start = 2n ** 60n + 3n;
  const duration = 2n ** 59n + 1n;
  const wide: TileInput = {
    ...{ level: 27, index: 0, slot: 0, flags: LEAF, events: 2, bins: [] },
    slices: [
      { start: 5n, duration: 7n, row: 0, name: 0, ordinal: 0, flags: 0 },
      { start, duration, row: 0, name: 0, ordinal: 1, flags: 0 },
    ],
    samples: [{ time: start, value: 1, ordinal: 0 }],
  };
  const [tile] = decodePage(encodePage(0, [wide]), { block: 0, level: 27, index: 0, slot: 0 }).tiles;
  expect([sliceStart(tile!, 1), sliceDuration(tile!, 1), sampleTime(tile!, 0)]).toEqual([start, duration, start]);
  const placed = placeSlices(tile!, start + duration - 10n);
  expect(placed.end[1]! + placed.shift).toBe(10);
  const near = placeSlices(tile!, 3n);
  expect([near.start[0]! + near.shift, near.end[0]! + near.shift]).toEqual([2, 9]);
});

test("a page of a shard has tracks of the block that the run gives it", () => {
  const bytes = encodePage(2, [interior, leaf]);
  const slots = decodePage(bytes, KEY).tiles.map(({ track }) => track - 2 * 32);
  expect(decodePage(bytes, { ...KEY, block: 519 }).tiles.map(({ track }) => track)).toEqual(
    slots.map((slot) => 519 * 32 + slot),
  );
});

describe("what is not the page is refused", () => {
  const bytes = encodePage(2, [interior, leaf]);

  test.each([
    ["a block below that of its head", { ...KEY, block: 1 }],
    ["another level", { ...KEY, level: 2 }],
    ["another first tile", { ...KEY, index: 5 }],
    ["another slot", { ...KEY, slot: 0 }],
  ])("%s", (_, key) => {
    expect(() => decodePage(bytes, key)).toThrow(FormatError);
  });

  test("tiles out of order", () => {
    expect(() => decodePage(encodePage(2, [interior, interior]), KEY)).toThrow("out of order");
  });

  test("a bin beyond 255, a negative duration", () => {
    const bins = [{ ...interior.bins[0]!, bin: 256 }];
    expect(() => decodePage(encodePage(2, [{ ...interior, bins }]), KEY)).toThrow("bin 256 is not in 0..255");
    const slices = [{ ...interior.slices[0]!, duration: -1n }];
    expect(() => decodePage(encodePage(2, [{ ...interior, slices }]), KEY)).toThrow("duration -1");
  });

  test("random damage never gives anything but tiles or a FormatError", () => {
    const random = new Random(4);
    const good = encodePage(2, [interior, leaf, counter, rollup]);
    for (let round = 0; round < 3000; round++) {
      const damaged = good.slice();
      damaged[random.below(damaged.length)] = random.below(256);
      damaged[random.below(damaged.length)] = random.below(256);
      try {
        for (const tile of decodePage(damaged, KEY).tiles) {
          expect(tile.slices.row.length).toBe(tile.slices.length);
          expect(tile.bins.bin.length).toBe(tile.bins.length);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
    }
  });
});
