import { type Track, ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { COUNTER_PX, HEADER_PX, layOut, ROW_PX, TRACK_GAP_PX } from "../state/layout";
import { buildTree } from "../state/tree";
import { buildScene, nearbyRequests, requestsOf, sceneTrackAt } from "./scene";

function track(id: number, kind: Track["kind"], rows: number, events = 5n): Track {
  return {
    id,
    group: 1,
    kind,
    name: `t${id}`,
    detail: "",
    rows,
    events,
    busyTicks: ticks(0),
    lanes: 1,
    children: [],
    values: null,
  };
}

const roots = buildTree({
  groups: [
    { id: 0, parent: null, kind: "host", name: "h", detail: "", rollup: null, missing: undefined },
    { id: 1, parent: 0, kind: "process", name: "p", detail: "", rollup: 0, missing: undefined },
  ],
  tracks: [
    track(0, "rollup", 1),
    track(1, "slice", 40),
    track(2, "counter", 1),
    track(3, "instant", 1),
    track(4, "slice", 1, 0n),
  ],
});
const layout = layOut(roots, new Set(["g1"]));
const slicesEndPx = HEADER_PX + 40 * ROW_PX + TRACK_GAP_PX;

function at(topPx: number, pinnedTopPx = 0) {
  return { topPx, pinnedTopPx };
}

describe("buildScene", () => {
  it("gives lanes to what is on the screen, and to no more", () => {
    const scene = buildScene(layout, at(0), 100);
    expect(scene.tracks.map((entry) => [entry.track.id, entry.place, entry.firstLane, entry.rows])).toEqual([
      [0, "header", 0, 1],
      [1, "track", 1, Math.ceil((100 - HEADER_PX - 1) / ROW_PX)],
    ]);
    expect(scene.lanes).toBe(1 + Math.ceil((100 - HEADER_PX - 1) / ROW_PX));
  });

  it("leaves out rows above the screen, and keeps the header of the group", () => {
    const scene = buildScene(layout, at(HEADER_PX + 10 * ROW_PX + 5), 100);
    const slices = scene.tracks.find((entry) => entry.track.id === 1)!;
    expect(slices.firstRow).toBe(10);
    expect(slices.topPx).toBeCloseTo(-4);
    expect(scene.tracks[scene.tracks.length - 1]).toMatchObject({ place: "sticky", topPx: 4 });
    expect(scene.headers).toEqual([{ topPx: 0, heightPx: HEADER_PX, isSticky: true, isPinned: false }]);
  });

  it("has no lane for counters and nothing at all for empty tracks", () => {
    const scene = buildScene(layout, at(slicesEndPx), 200);
    expect(scene.tracks.map((entry) => [entry.track.id, entry.firstLane])).toEqual([
      [2, -1],
      [3, 0],
      [0, 1],
    ]);
    expect(requestsOf(scene).map((request) => request.track)).toEqual([2, 3, 0]);
  });

  it("names tracks just outside of the screen", () => {
    expect(nearbyRequests(layout, 0, 100, 10)).toEqual([{ track: 1, kind: "slice" }]);
    const below = nearbyRequests(layout, slicesEndPx - 300, 290, COUNTER_PX).map((request) => request.track);
    expect(below).toEqual([1, 2, 1]);
  });
});

describe("pinned tracks", () => {
  const [process] = roots;
  const [slices, counter] = process!.kind === "group" ? process!.children : [];
  /** The slices of 40 rows have 200 px at the top, the counter follows below. */
  const pinned = layOut(
    [{ ...process!, children: [counter!] } as typeof process & object],
    new Set(["g1"]),
    [slices!],
    200,
  );

  it("have the upper part of the screen, whatever the others are scrolled to", () => {
    expect(pinned).toMatchObject({ pinnedCount: 1, pinnedContentPx: 40 * ROW_PX + TRACK_GAP_PX, pinnedPx: 204 });
    for (const topPx of [0, 30]) {
      const scene = buildScene(pinned, at(topPx), 300);
      expect(scene.tracks[0]).toMatchObject({ isPinned: true, topPx: 1, firstRow: 0, rows: Math.ceil(199 / ROW_PX) });
      expect(sceneTrackAt(scene, 100)).toMatchObject({ track: { isPinned: true }, row: 5 });
      expect(sceneTrackAt(scene, 202)).toBeNull();
    }
    const below = buildScene(pinned, at(0), 300).tracks.find(({ place }) => place === "header");
    expect(below).toMatchObject({ isPinned: false, topPx: 204 + 4 });
  });

  it("are scrolled by themselves", () => {
    const scene = buildScene(pinned, at(0, 5 * ROW_PX), 300);
    expect(scene.tracks[0]).toMatchObject({ firstRow: 4, topPx: 1 - ROW_PX });
    expect(sceneTrackAt(scene, 100)).toMatchObject({ row: 10 });
  });

  it("hide what is scrolled away below them, and the header of its group stays under them", () => {
    const scene = buildScene(pinned, at(HEADER_PX + 10), 300);
    expect(scene.tracks.map(({ track: { id }, place, topPx }) => [id, place, topPx])).toEqual([
      [1, "track", 1],
      [2, "track", 204 - 10 + 1],
      [0, "sticky", 204 + 4],
    ]);
    expect(sceneTrackAt(scene, 199)).toMatchObject({ track: { track: { id: 1 } } });
    expect(sceneTrackAt(scene, 215)).toMatchObject({ track: { place: "sticky" } });
    expect(requestsOf(scene).map(({ track: id }) => id)).toEqual([1, 2, 0]);
  });
});

describe("sceneTrackAt", () => {
  it("finds track and row", () => {
    const scene = buildScene(layout, at(0), 300);
    expect(sceneTrackAt(scene, 10)).toMatchObject({ track: { track: { id: 0 } }, row: 0 });
    expect(sceneTrackAt(scene, HEADER_PX + 1 + 3 * ROW_PX + 1)).toMatchObject({ track: { track: { id: 1 } }, row: 3 });
  });

  it("sees nothing below the sticky header but the header", () => {
    const scene = buildScene(layout, at(HEADER_PX + 5 * ROW_PX), 300);
    expect(sceneTrackAt(scene, 10)).toMatchObject({ track: { place: "sticky" } });
    expect(sceneTrackAt(scene, 2)).toBeNull();
    expect(sceneTrackAt(scene, 40)).toMatchObject({ track: { place: "track" } });
  });
});

it("counts events in tracks and in headers of closed groups, each once", () => {
  const counted = (open: ReadonlySet<string>, scrollPx = 0) =>
    buildScene(layOut(roots, open), at(scrollPx), 1000)
      .tracks.filter(({ isCounted }) => isCounted)
      .map((entry) => entry.track.id);
  expect(counted(new Set(["g1"]))).toEqual([1, 2, 3]);
  expect(counted(new Set(["g1"]), HEADER_PX + 5)).toEqual([1, 2, 3]);
  expect(counted(new Set())).toEqual([0]);
});
