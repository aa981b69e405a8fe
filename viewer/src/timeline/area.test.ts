import { type Track, ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { tracksBetween } from "./area";
import type { Scene, SceneTrack } from "./scene";

function entry(id: number, topPx: number, rows: number, place: SceneTrack["place"] = "track"): SceneTrack {
  const track: Track = {
    id,
    group: 0,
    kind: "slice",
    name: "",
    detail: "",
    rows,
    events: 1n,
    busyTicks: ticks(0),
    lanes: 1,
    children: [],
    values: null,
  };
  return { track, place, isCounted: true, topPx, rowPx: 18, firstRow: 0, rows, firstLane: 0 };
}

const scene: Scene = {
  tracks: [entry(3, 0, 2), entry(4, 40, 1), entry(5, 60, 1), entry(1, 2, 1, "sticky")],
  headers: [],
  edgesPx: [],
  lanes: 5,
  endPx: 100,
};

describe("tracksBetween", () => {
  it("takes every track that is touched, whichever way one drags", () => {
    expect(tracksBetween(scene, 10, 45)).toEqual([3, 4]);
    expect(tracksBetween(scene, 65, 45)).toEqual([4, 5]);
  });

  it("leaves out the sticky header, which repeats a track", () => {
    expect(tracksBetween(scene, 3, 5)).toEqual([3, 3]);
  });

  it("finds nothing below the last track", () => {
    expect(tracksBetween(scene, 80, 90)).toBeNull();
  });
});
