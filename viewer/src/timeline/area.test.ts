import { type Track, ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { rangeBetween, tracksBetween } from "./area";
import type { Scene, SceneTrack } from "./scene";

function entry(
  id: number,
  topPx: number,
  rows: number,
  more: Partial<SceneTrack> = {},
  children?: number[],
): SceneTrack {
  const track: Track = {
    id,
    group: 0,
    kind: children === undefined ? "slice" : "rollup",
    name: "",
    detail: "",
    rows,
    events: 1n,
    busyTicks: ticks(0),
    lanes: 1,
    children: children ?? [],
    values: null,
  };
  return {
    track,
    place: "track",
    isCounted: true,
    topPx,
    rowPx: 18,
    firstRow: 0,
    rows,
    firstLane: 0,
    isPinned: false,
    ...more,
  };
}

/** An open group of 3, 4 and 9, and a closed one of 5 and 6; the sticky header repeats the first. */
const scene: Scene = {
  tracks: [
    entry(90, 0, 1, { place: "header", isCounted: false }, [3, 4, 9]),
    entry(3, 26, 2),
    entry(9, 66, 1),
    entry(4, 88, 1),
    entry(91, 110, 1, { place: "header" }, [5, 6]),
    entry(90, 2, 1, { place: "sticky", isCounted: false }, [3, 4, 9]),
  ],
  headers: [],
  edgesPx: [],
  pinnedEdgesPx: [],
  pinnedPx: 0,
  lanes: 5,
  endPx: 140,
};

describe("tracksBetween", () => {
  it("takes every track that is touched, whichever way one drags", () => {
    expect(tracksBetween(scene, 40, 70).body).toEqual([3, 9]);
    expect(tracksBetween(scene, 95, 70).body).toEqual([9, 4]);
  });

  it("takes for a closed group its tracks, and nothing for the header above the tracks that are taken", () => {
    expect(tracksBetween(scene, 100, 115).body).toEqual([4, 5, 6]);
    expect(tracksBetween(scene, 10, 40).body).toEqual([3]);
  });

  it("takes for the header of an open group alone all of the group", () => {
    expect(tracksBetween(scene, 5, 10).body).toEqual([3, 4, 9]);
  });

  it("finds nothing below the last track", () => {
    expect(tracksBetween(scene, 135, 150).body).toEqual([]);
  });
});

it("takes pinned tracks by themselves, and nothing of what is scrolled away below them", () => {
  const pinned: Scene = {
    ...scene,
    pinnedPx: 44,
    tracks: [entry(7, 1, 2, { isPinned: true }), entry(8, 30, 3), entry(9, 88, 1)],
  };
  expect(tracksBetween(pinned, 10, 20)).toEqual({ pinned: [7], body: [] });
  expect(tracksBetween(pinned, 32, 35)).toEqual({ pinned: [7], body: [] });
  expect(tracksBetween(pinned, 30, 90)).toEqual({ pinned: [7], body: [8, 9] });
  expect(tracksBetween(pinned, 60, 90)).toEqual({ pinned: [], body: [8, 9] });
});

describe("rangeBetween", () => {
  const run = { startTicks: ticks(0), endTicks: ticks(1000) };

  it("goes from the earlier to the later time", () => {
    expect(rangeBetween(ticks(700), ticks(30), run)).toEqual({ startTicks: 30n, endTicks: 700n });
  });

  it("does not leave the run", () => {
    expect(rangeBetween(ticks(-50), ticks(1033), run)).toEqual(run);
    expect(rangeBetween(ticks(1010), ticks(1033), run)).toBeNull();
    expect(rangeBetween(ticks(5), ticks(5), run)).toBeNull();
  });
});
