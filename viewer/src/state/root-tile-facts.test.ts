import { type TileData, type Track, ticks } from "@tilescope/client";
import { counterTiles, Pyramid, sliceTiles } from "@tilescope/client/testing/pyramid";
import { describe, expect, it } from "vitest";
import { factsOfRootTile } from "./root-tile-facts";

const options = { rootLevel: 4, leafEvents: 10, tilesPerPage: 4 };
const slices = Array.from({ length: 200 }, (_, k) => ({ start: 100 * k, duration: 7, row: k % 5, name: 0 }));
const samples = Array.from({ length: 200 }, (_, k) => ({ time: 100 * k, value: (k % 40) - 10 }));
const [few, many] = [10, 200].map((count) =>
  new Pyramid(
    [...sliceTiles(0, slices.slice(0, count), options), ...counterTiles(1, samples.slice(0, count), options)],
    4,
  )
    .tiles()
    .filter(({ level }) => level === options.rootLevel),
) as [TileData[], TileData[]];

function track(kind: Track["kind"], rows: number, values: Track["values"] = null): Track {
  const rest = { group: 0, name: "", detail: "", events: 1n, busyTicks: ticks(0), lanes: 1, children: [] };
  return { id: 0, kind, rows, values, ...rest };
}

describe("a root tile tells", () => {
  it("how many rows a track has, in slices and in bins", () => {
    expect(factsOfRootTile(few[0]!, track("slice", 1))).toEqual({ rows: 5 });
    expect(factsOfRootTile(many[0]!, track("slice", 1))).toEqual({ rows: 5 });
    expect(factsOfRootTile(many[0]!, track("slice", 5))).toBeNull();
  });

  it("between which values a counter lies, in samples and in bins", () => {
    expect(factsOfRootTile(few[1]!, track("counter", 1))).toEqual({ values: { min: -10, max: -1 } });
    expect(factsOfRootTile(many[1]!, track("counter", 1))).toEqual({ values: { min: -10, max: 29 } });
    expect(factsOfRootTile(many[1]!, track("counter", 1, { min: -10, max: 29 }))).toBeNull();
  });
});
