import { type Coverage, type TileData, ticks } from "@tilescope/client";
import { describe, expect, it, vi } from "vitest";
import { type Drawn, type Neighbour, neighbourOf } from "./navigate";
import type { TrackTiles } from "./row-search";

type SliceSpec = readonly [start: number, end: number, row: number, ordinal: number];

/** A tile of 256 bins of 4 ticks at the run's origin. */
function tile(slices: readonly SliceSpec[], bins: readonly (readonly [bin: number, row: number])[] = []): TileData {
  const none = new Float64Array(bins.length);
  return {
    track: 0,
    level: 1,
    index: 0,
    kind: bins.length === 0 ? "leaf" : "interior",
    originTicks: ticks(0),
    binTicks: 4,
    slices: {
      length: slices.length,
      startOffset: Float64Array.from(slices, ([start]) => start),
      endOffset: Float64Array.from(slices, ([, end]) => end),
      row: Uint32Array.from(slices, ([, , row]) => row),
      name: new Uint32Array(slices.length),
      ordinal: Float64Array.from(slices, ([, , , ordinal]) => ordinal),
      flags: new Uint8Array(slices.length),
      wide: null,
    },
    bins: {
      length: bins.length,
      bin: Uint8Array.from(bins, ([bin]) => bin),
      row: Uint32Array.from(bins, ([, row]) => row),
      count: none,
      busy: none,
      name: new Uint32Array(bins.length),
      share: new Uint8Array(bins.length),
      exact: null,
    },
    counterBins: {
      length: 0,
      bin: new Uint8Array(),
      n: none,
      first: none,
      last: none,
      min: none,
      max: none,
      mean: none,
    },
    samples: { length: 0, timeOffset: none, value: none, ordinal: none, wide: null },
    carry: Number.NaN,
  };
}

function drawn(data: TileData, complete = true): Drawn {
  const coverage: Coverage = {
    draws: [{ tile: data, clipStart: ticks(0), clipEnd: ticks(1024), sharp: complete }],
    missing: [],
    complete,
  };
  return { coverage, range: { startTicks: ticks(0), endTicks: ticks(1024) } };
}

const slice = (startTicks: bigint, endTicks: bigint, row: number, ordinal: number): Neighbour => ({
  startTicks,
  endTicks,
  row,
  ordinal,
});

const never: TrackTiles = {
  tile: () => Promise.reject(new Error("the server was asked")),
  leafAt: () => Promise.reject(new Error("the server was asked")),
};

describe("neighbourOf", () => {
  const family: readonly SliceSpec[] = [
    [0, 400, 0, 0],
    [10, 90, 1, 1],
    [100, 200, 1, 7],
    [400, 600, 0, 90],
  ];

  it("finds neighbours in what is drawn", async () => {
    const shown = drawn(tile(family));
    const first = slice(0n, 400n, 0, 0);
    expect(await neighbourOf(first, "next", shown, never)).toMatchObject({ ordinal: 90 });
    expect(await neighbourOf(slice(400n, 600n, 0, 90), "previous", shown, never)).toMatchObject({ ordinal: 0 });
    expect(await neighbourOf(first, "child", shown, never)).toMatchObject({ ordinal: 1 });
    expect(await neighbourOf(slice(100n, 200n, 1, 7), "parent", shown, never)).toMatchObject({ ordinal: 0 });
    expect(await neighbourOf(slice(10n, 90n, 1, 1), "next", shown, never)).toMatchObject({ ordinal: 7 });
  });

  it("is not misled by bins of other rows", async () => {
    const shown = drawn(tile(family, [[50, 2]]));
    expect(await neighbourOf(slice(0n, 400n, 0, 0), "next", shown, never)).toMatchObject({ ordinal: 90 });
  });

  it("looks into the tiles where a bin may hide a nearer one, and where something is missing", async () => {
    const leafAt = vi.fn(async () => tile([...family, [95, 97, 1, 4]]));
    const from = slice(10n, 90n, 1, 1);
    for (const shown of [drawn(tile(family, [[24, 1]])), drawn(tile(family), false)]) {
      expect(await neighbourOf(from, "next", shown, { ...never, leafAt })).toMatchObject({ ordinal: 4 });
    }
    expect(leafAt).toHaveBeenCalledTimes(2);
  });

  it("does not take a tile that cannot be had for no neighbour", async () => {
    const nothing = drawn(tile([]), false);
    for (const direction of ["next", "previous", "child", "parent"] as const) {
      await expect(neighbourOf(slice(10n, 90n, 1, 1), direction, nothing, never)).rejects.toThrow("was asked");
    }
    expect(await neighbourOf(slice(10n, 90n, 0, 1), "parent", nothing, never)).toBeNull();
  });
});
