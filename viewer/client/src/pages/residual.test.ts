import { describe, expect, test } from "vitest";
import { encodePage } from "../testing/page";
import { sliceTiles } from "../testing/pyramid";
import { Random } from "../testing/random";
import { encodeResidual, quantumOf, roundedBusy } from "../testing/residual";
import { LEAF, type TileInput } from "../testing/tile-input";
import { FormatError } from "./error";
import { decodePage } from "./page";
import { withResidual } from "./residual";

const KEY = { block: 2, level: 5, index: 4, slot: 3 };

/** Bins of 1024 ticks. */
const first: TileInput = {
  ...{ level: 5, index: 4, slot: 3, flags: 0, events: 9, slices: [] },
  bins: [
    { bin: 1, row: 0, count: 4, busy: 1023n, name: 9, share: 200, longest: 700n },
    { bin: 2, row: 0, count: 0, busy: 1n, name: 9, share: 255, longest: 700n },
    { bin: 3, row: 0, count: 5, busy: 1024n, name: 9, share: 255, longest: 1n },
  ],
};
const leaf: TileInput = { ...{ level: 5, index: 5, slot: 0, flags: LEAF, events: 0, slices: [], bins: [] } };
const second: TileInput = {
  ...{ level: 5, index: 5, slot: 1, flags: 0, events: 2, slices: [] },
  bins: [{ bin: 200, row: 3, count: 2, busy: 6n, name: 1, share: 255, longest: 5000n }],
};
const tiles = [first, leaf, second];

test("a page and its residual make exact bins, each tile its own", () => {
  const page = decodePage(encodePage(2, tiles), KEY);
  expect(page.tiles.map(({ bins }) => [...bins.busy])).toEqual([[1024, 0, 1024], [], [8]]);
  expect(page.tiles.every(({ bins }) => bins.exact === null)).toBe(true);
  const exact = withResidual(page, encodeResidual(2, tiles));
  expect(exact.tiles.map(({ bins }) => [...bins.exact!.busy])).toEqual([[1023n, 1n, 1024n], [], [6n]]);
  expect(exact.tiles.map(({ bins }) => [...bins.exact!.longest])).toEqual([[700n, 700n, 1n], [], [5000n]]);
  // What is drawn stays as it is, and nothing else changes.
  expect(exact.tiles.map(({ bins }) => bins.busy)).toEqual(page.tiles.map(({ bins }) => bins.busy));
  expect(exact.tiles[2]).toMatchObject({ track: 65, level: 5, index: 5 });
  expect(exact.key).toEqual(KEY);
  expect(exact.sizeBytes - page.sizeBytes).toBe(4 * 2 * 8);
});

test("a page of a shard and its residual name the block of the shard", () => {
  const page = decodePage(encodePage(2, tiles), { ...KEY, block: 519 });
  expect(withResidual(page, encodeResidual(2, tiles)).tiles[2]).toMatchObject({ track: 519 * 32 + 1, index: 5 });
  expect(() => withResidual(page, encodeResidual(519, tiles))).toThrow(FormatError);
});

test("random pages come back as they were, however they are rounded", () => {
  const random = new Random(8);
  for (const quantum of [1n, 3n, 1000n]) {
    let start = 0;
    const events = Array.from({ length: 300 }, () => {
      const event = { start, duration: random.below(900), row: random.below(2), name: 0 };
      start += 700 + random.below(800);
      return event;
    });
    const [tile] = sliceTiles(3, events, { rootLevel: 5, leafEvents: 10, tilesPerPage: 1 });
    const page = decodePage(encodePage(2, [tile!], quantum), { ...KEY, index: 0 });
    const [{ bins }] = withResidual(page, encodeResidual(2, [tile!], quantum)).tiles as [(typeof page.tiles)[0]];
    expect([...bins.exact!.busy]).toEqual(tile!.bins.map(({ busy }) => busy));
    expect([...bins.exact!.longest]).toEqual(tile!.bins.map(({ longest }) => longest));
  }
});

test("sums beyond 2**53, as rollups of long runs have them, are exact to the tick", () => {
  const busy = [2n ** 53n + 3n, 2n ** 55n + 1n, 5n];
  const bins = busy.map((value, bin) => ({ ...first.bins[0]!, bin, busy: value, longest: 2n ** 60n + 1n }));
  const tile = { ...first, level: 24, bins };
  const page = decodePage(encodePage(2, [tile]), { ...KEY, level: 24 });
  const [{ bins: exact }] = withResidual(page, encodeResidual(2, [tile])).tiles as [(typeof page.tiles)[0]];
  expect([...exact.exact!.busy]).toEqual(busy);
  expect([...exact.exact!.longest]).toEqual(bins.map(({ longest }) => longest));
});

describe("the encoder of these tests", () => {
  test("rounds to a 256th of what a bin holds, or not at all", () => {
    expect(quantumOf(tiles)).toBe(4n);
    expect(quantumOf([{ ...first, bins: first.bins.slice(2) }])).toBe(1024n);
    expect(quantumOf([second])).toBe(6n);
    expect(quantumOf([leaf])).toBe(1n);
  });

  test("rounds sums, so that errors do not add up", () => {
    const bins = Array.from({ length: 9 }, (_, bin) => ({ ...first.bins[1]!, bin }));
    expect(roundedBusy([{ ...first, bins }], 4n)).toEqual([0n, 4n, 0n, 0n, 0n, 4n, 0n, 0n, 0n]);
  });
});

describe("what is not the page's residual is refused", () => {
  const page = decodePage(encodePage(2, tiles), KEY);

  test.each([
    ["of another block", encodeResidual(3, tiles)],
    ["of another level", encodeResidual(2, [{ ...second, level: 4 }])],
    ["of a page with fewer bins", encodeResidual(2, [first])],
    ["a page", encodePage(2, tiles)],
    ["with less busy time than none", encodeResidual(2, tiles, 2048n)],
  ])("%s", (_, bytes) => {
    expect(() => withResidual(page, bytes)).toThrow(FormatError);
  });

  test("random damage never gives anything but bins or a FormatError", () => {
    const random = new Random(4);
    const good = encodeResidual(2, tiles);
    for (let round = 0; round < 1000; round++) {
      const damaged = good.slice();
      damaged[random.below(damaged.length)] = random.below(256);
      try {
        for (const { bins } of withResidual(page, damaged).tiles) {
          expect(bins.exact!.busy.length).toBe(bins.length);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
    }
  });
});
