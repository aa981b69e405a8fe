import { expect, test } from "vitest";
import { type PageKey, pageName } from "../pages/key";
import { checkBlock } from "./conservation";
import { encodePage } from "./page";
import { counterTiles, type EventInput, Pyramid, sliceTiles } from "./pyramid";
import { Random } from "./random";
import { encodeResidual } from "./residual";
import type { TileInput } from "./tile-input";

const OPTIONS = { rootLevel: 5, leafEvents: 15, tilesPerPage: 5 };
const random = new Random(31);
let start = 0;
const events: EventInput[] = Array.from({ length: 500 }, () => {
  const event = { start, duration: random.pick([0, 1, 30, 500]), row: 0, name: random.below(3) };
  start += event.duration + random.below(60);
  return event;
});
const samples = Array.from({ length: 200 }, (_, k) => ({ time: 97 * k, value: random.below(100) }));
const tiles = [...sliceTiles(0, events, OPTIONS), ...counterTiles(1, samples, OPTIONS)];

function firstOf({ level, index, slot }: PageKey): TileInput {
  return tiles.find((tile) => tile.level === level && tile.index === index && tile.slot === slot)!;
}

function check(pyramid: Pyramid, tamper: (tile: TileInput) => TileInput = (tile) => tile) {
  return checkBlock(
    pyramid.shape(),
    {
      page: (key) => {
        const changed = tamper(firstOf(key));
        return changed === firstOf(key) ? pyramid.pages.get(pageName(key))!.bytes : encodePage(0, [changed]);
      },
      residual: (key) => {
        const changed = tamper(firstOf(key));
        return changed === firstOf(key) ? pyramid.pages.get(pageName(key))!.residual : encodeResidual(0, [changed]);
      },
    },
    () => false,
  );
}

test("the reference keeps the promise", async () => {
  const { errors, totals, tiles: count } = await check(new Pyramid(tiles, 5));
  expect(errors).toEqual([]);
  expect(count).toBe(tiles.length);
  expect(totals.get(0)).toEqual({
    events: 500n,
    busyTicks: BigInt(events.reduce((sum, event) => sum + event.duration, 0)),
  });
  expect(totals.get(1)?.events).toBe(200n);
});

test("busy time that is rounded more than a page may is found", async () => {
  const pyramid = new Pyramid(tiles, 1);
  const tile = tiles.find(({ level, slot, bins }) => level === 5 && slot === 0 && bins.length > 20)!;
  const source = (quantum: bigint) => ({
    page: (key: PageKey) => (firstOf(key) === tile ? encodePage(0, [tile], quantum) : pageOf(key).bytes),
    residual: (key: PageKey) => (firstOf(key) === tile ? encodeResidual(0, [tile], quantum) : pageOf(key).residual),
  });
  const pageOf = (key: PageKey) => pyramid.pages.get(pageName(key))!;
  // Bins of 1024 ticks: sums may be off by two.
  expect((await checkBlock(pyramid.shape(), source(4n), () => false)).errors).toEqual([]);
  const { errors } = await checkBlock(pyramid.shape(), source(8n), () => false);
  expect(errors[0]).toContain(`track 0, level 5, tile ${tile.index}: up to bin`);
});

test("a changed count, busy time, extreme or lost event is found, with its place", async () => {
  const pyramid = new Pyramid(tiles, 1);
  const interior = tiles.find((tile) => tile.level === 3 && tile.slot === 0 && tile.bins.length > 0)!;
  const counter = tiles.find((tile) => tile.level === 3 && tile.slot === 1 && tile.counterBins!.length > 0)!;
  const cases: [TileInput, Partial<TileInput>][] = [
    [interior, { bins: interior.bins.map((bin, k) => (k === 0 ? { ...bin, count: bin.count + 1 } : bin)) }],
    [interior, { bins: interior.bins.map((bin, k) => (k === 0 ? { ...bin, busy: bin.busy + 1n } : bin)) }],
    [interior, { bins: interior.bins.slice(1) }],
    [counter, { counterBins: counter.counterBins!.map((bin) => ({ ...bin, max: bin.max + 1 })) }],
  ];
  for (const [target, change] of cases) {
    const { errors } = await check(pyramid, (tile) => (tile === target ? { ...tile, ...change } : tile));
    expect(errors.length).toBeGreaterThan(0);
    expect(errors[0]).toContain(`track ${target.slot}, level ${target.level}, tile ${target.index}`);
  }
});
