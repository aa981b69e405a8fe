import { type Track, ticks, type View } from "@tilescope/client";
import { expect, test } from "vitest";
import { edgeHints, hintAt, hintPlace } from "./edge-hints";
import type { Scene, SceneTrack } from "./scene";

/** Ticks of 1 ns, 1000 of them from 5000 on. */
const view: View = { startTicks: ticks(5000), startFraction: 0, ticksPerPx: 1, widthPx: 1000 };

function entry(first: number | null, last: number | null, more: Partial<SceneTrack> = {}, kind = "slice"): SceneTrack {
  const times = {
    firstTicks: first === null ? undefined : ticks(first),
    lastTicks: last === null ? undefined : ticks(last),
  };
  const track = { id: first ?? 0, kind, ...times } as unknown as Track;
  return {
    ...{ track, place: "track", isCounted: true, topPx: 40, rowPx: 18, firstRow: 0, rows: 3, firstLane: 0 },
    isPinned: false,
    ...more,
  };
}

function hints(...tracks: SceneTrack[]) {
  return edgeHints({ tracks } as unknown as Scene, view, 1000);
}

test("a lane all of whose events are before the view or behind it says how far away they are", () => {
  const texts = hints(entry(100, 4000), entry(8500, 9000)).map(({ text }) => text);
  expect(texts).toEqual(["← 1 µs: last event", "2.5 µs: first event →"]);
});

test("a lane with events in view, on both sides of it or without a known place says nothing", () => {
  expect(hints(entry(100, 5000), entry(5999, 7000), entry(100, 9000), entry(null, null))).toEqual([]);
  expect(hints(entry(100, 4999), entry(6000, 7000))).toHaveLength(2);
});

test("a counter keeps its last value, and the header of an open group has its tracks below it", () => {
  expect(hints(entry(100, 4000, {}, "counter"), entry(100, 4000, { isCounted: false }))).toEqual([]);
  expect(hints(entry(8000, 9000, {}, "counter"))).toHaveLength(1);
});

test("the hint is at its edge, and a click goes to it only there", () => {
  const [before, behind] = [entry(100, 4000), entry(8500, 9000)];
  const both = hints(before, behind);
  expect(both.map((hint) => hintPlace(hint, 1000))).toEqual([
    { xPx: 6, yPx: 49, align: "left" },
    { xPx: 994, yPx: 49, align: "right" },
  ]);
  expect(hintAt(both, before, 1000, 50)).toBe(both[0]);
  expect(hintAt(both, before, 1000, 500)).toBeNull();
  expect(hintAt(both, behind, 1000, 50)).toBeNull();
  expect(hintAt(both, behind, 1000, 950)).toBe(both[1]);
  expect(hintAt(both, null, 1000, 950)).toBeNull();
});
