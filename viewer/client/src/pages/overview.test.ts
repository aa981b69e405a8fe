import { describe, expect, test } from "vitest";
import type { OverviewGrid } from "../base/schema";
import { encodeContainer } from "../testing/encode";
import { binTicks } from "./key";
import { decodeOverview, Overview } from "./overview";
import { NO_NAME } from "./tile";

const grid: OverviewGrid = { level: 5, bins: 300, binsPerPage: 32, pages: 10 };

/** Entries are rows [bin within the page, track, utilisation, name]. */
function encode(page: number, rows: readonly (readonly number[])[], level = grid.level): Uint8Array {
  const columns = [144, 145, 146, 147].map((id, k) => ({ id, values: rows.map((row) => BigInt(row[k]!)) }));
  return encodeContainer({ magic: "TSOV", level, block: page, tileCount: rows.length, columns });
}

describe("a page of the overview", () => {
  test("is decoded, with bins of the run", () => {
    const page = decodeOverview(
      encode(2, [
        [0, 7, 255, -1],
        [31, 3, 1, 12],
      ]),
      2,
      grid,
    );
    expect([...page.bin]).toEqual([64, 95]);
    expect([...page.track]).toEqual([7, 3]);
    expect([...page.utilisation]).toEqual([255, 1]);
    expect([...page.name]).toEqual([-1, 12]);
  });

  test("may be empty", () => {
    expect(decodeOverview(encode(9, []), 9, grid).length).toBe(0);
  });

  test.each([
    ["another page", encode(3, [])],
    ["another level", encode(2, [], 4)],
    ["a bin of another page", encode(2, [[32, 0, 1, 0]])],
    ["a utilisation beyond 255", encode(2, [[0, 0, 256, 0]])],
    ["no container", new Uint8Array(40)],
  ])("is refused: %s", (_, bytes) => {
    expect(() => decodeOverview(bytes, 2, grid)).toThrow();
  });

  test("has no bins behind the last of the run", () => {
    expect(() => decodeOverview(encode(9, [[12, 0, 1, 0]]), 9, grid)).toThrow("overview bin");
    expect(decodeOverview(encode(9, [[11, 0, 1, 0]]), 9, grid).bin[0]).toBe(299);
  });
});

test("the tiles of a track have the utilisation as busy time, in time order", () => {
  const pages = [8, 0, 7].map((page) =>
    decodeOverview(
      encode(page, [
        [0, 4, 255, -1],
        [3, 4, 51, 9],
        [3, 5, 1, 0],
      ]),
      page,
      grid,
    ),
  );
  const overview = new Overview(grid, pages);
  const tiles = overview.tilesOf(4);
  expect(tiles.map(({ index, kind, level }) => [index, kind, level])).toEqual([
    [0, "provisional", 5],
    [1, "provisional", 5],
  ]);
  expect([...tiles[0]!.bins.bin].sort((a, b) => a - b)).toEqual([0, 3, 224, 227]);
  expect([...tiles[1]!.bins.bin]).toEqual([0, 3]);
  expect([...tiles[1]!.bins.busy]).toEqual([binTicks(5), binTicks(5) / 5]);
  expect([...tiles[1]!.bins.name]).toEqual([NO_NAME, 9]);
  expect(overview.tilesOf(99)).toEqual([]);
});
