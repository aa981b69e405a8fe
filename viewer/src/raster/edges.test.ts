import { coverage, ticks, type View } from "@tilescope/client";
import { Pyramid, sliceTiles } from "@tilescope/client/testing/pyramid";
import { expect, test } from "vitest";
import { nearestEdge } from "./edges";

const OPTIONS = { rootLevel: 4, leafEvents: 100, tilesPerPage: 3 };
const pyramid = new Pyramid(
  sliceTiles(
    0,
    [
      { start: 1000, duration: 500, row: 0, name: 0 },
      { start: 1520, duration: 480, row: 0, name: 0 },
      { start: 1100, duration: 100, row: 1, name: 0 },
    ],
    OPTIONS,
  ),
  OPTIONS.tilesPerPage,
);
const tiles = new Map(pyramid.tiles().map((tile) => [`${tile.level}/${tile.index}`, tile]));
const view: View = { startTicks: ticks(900), startFraction: 0.5, ticksPerPx: 10, widthPx: 200 };
const { draws } = coverage(
  (_, level, index) => tiles.get(`${level}/${index}`),
  pyramid.shape(),
  { track: 0, kind: "slice" },
  view,
  OPTIONS.rootLevel,
);

test("the nearest start or end of a slice of the row", () => {
  expect(nearestEdge(draws, view, 0, 12, 6)).toBe(1000n);
  expect(nearestEdge(draws, view, 0, 60.5, 6)).toBe(1500n);
  expect(nearestEdge(draws, view, 0, 61.5, 6)).toBe(1520n);
  expect(nearestEdge(draws, view, 1, 28, 6)).toBe(1200n);
});

test("nothing where no edge is near, or only one of another row", () => {
  expect(nearestEdge(draws, view, 0, 80, 6)).toBeNull();
  expect(nearestEdge(draws, view, 1, 60, 6)).toBeNull();
  expect(nearestEdge(draws, view, 7, 10, 6)).toBeNull();
});
