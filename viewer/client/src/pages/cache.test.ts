import { describe, expect, test } from "vitest";
import { encodePage } from "../testing/page";
import { LEAF } from "../testing/tile-input";
import { PageCache } from "./cache";
import { pageName } from "./key";
import { type DecodedPage, decodePage } from "./page";

/** A page of one tile, with a made-up size. */
function page(index: number, sizeBytes = 100, level = 2): DecodedPage {
  const key = { block: 1, level, index, slot: 4 };
  const tile = { level, index, slot: 4, flags: LEAF, events: 0, slices: [], bins: [] };
  return { ...decodePage(encodePage(1, [tile]), key), sizeBytes };
}

const name = (index: number) => pageName(page(index).key);

test("tiles are found by track, level and index", () => {
  const cache = new PageCache(1000);
  cache.add(page(7));
  expect(cache.lookup(36, 2, 7)?.index).toBe(7);
  expect(cache.lookup(36, 3, 7)).toBeUndefined();
  expect(cache.lookup(37, 2, 7)).toBeUndefined();
  expect([cache.has(name(7)), cache.has(name(8)), cache.sizeBytes]).toEqual([true, false, 100]);
  cache.clear();
  expect([cache.has(name(7)), cache.lookup(36, 2, 7), cache.sizeBytes]).toEqual([false, undefined, 0]);
});

test("a page that comes again is counted once", () => {
  const cache = new PageCache(1000);
  cache.add(page(7));
  cache.add(page(7));
  expect(cache.sizeBytes).toBe(100);
});

describe("beyond the budget", () => {
  test("the page that was wanted longest ago goes", () => {
    const cache = new PageCache(300);
    for (const index of [1, 2, 3]) {
      cache.add(page(index));
    }
    cache.use(new Set(), [name(1)]);
    cache.add(page(4));
    expect([1, 2, 3, 4].filter((index) => cache.has(name(index)))).toEqual([1, 3, 4]);
    expect(cache.lookup(36, 2, 2)).toBeUndefined();
  });

  test("what the view needs stays, whatever it takes", () => {
    const cache = new PageCache(250);
    cache.use(new Set([name(1), name(2), name(3)]));
    for (const index of [1, 2, 3, 4]) {
      cache.add(page(index));
    }
    expect([1, 2, 3, 4].filter((index) => cache.has(name(index)))).toEqual([1, 2, 3]);
    expect(cache.neededBytes).toBe(300);
    cache.use(new Set([name(3)]));
    expect([1, 2, 3].filter((index) => cache.has(name(index)))).toEqual([2, 3]);
  });
});
