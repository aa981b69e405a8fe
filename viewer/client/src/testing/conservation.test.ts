import { expect, test } from "vitest";
import { checkBlock } from "./conservation";
import { encodePage, type TileInput } from "./page";
import { counterTiles, type EventInput, Pyramid, sliceTiles } from "./pyramid";
import { Random } from "./random";

const OPTIONS = { rootLevel: 5, leafEvents: 15, tilesPerPage: 5 };
const random = new Random(31);
let at = 0;
const events: EventInput[] = Array.from({ length: 500 }, () => {
  const event = { start: at, duration: random.pick([0, 1, 30, 500]), row: 0, name: random.below(3) };
  at += event.duration + random.below(60);
  return event;
});
const samples = Array.from({ length: 200 }, (_, k) => ({ time: 97 * k, value: random.below(100) }));
const tiles = [...sliceTiles(0, events, OPTIONS), ...counterTiles(1, samples, OPTIONS)];

function check(pyramid: Pyramid, tamper: (tile: TileInput) => TileInput = (tile) => tile) {
  return checkBlock(
    pyramid.shape(),
    (key) => {
      const first = tiles.find(
        (tile) => tile.level === key.level && tile.index === key.index && tile.slot === key.slot,
      )!;
      const changed = tamper(first);
      return changed === first
        ? pyramid.pages.get(`0/${key.level}/${key.index}/${key.slot}`)!.bytes
        : encodePage(0, [changed]);
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
