import { ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { gapOutline } from "./gap-outline";
import type { SceneTrack } from "./scene";
import type { TracksInput } from "./tracks-input";

const VIEW = { startTicks: ticks(1000n), startFraction: 0, ticksPerPx: 10, widthPx: 100 };
const INPUT = { picture: { ratio: 1, deviceView: VIEW }, theme: { accent: "blue" } } as unknown as TracksInput;
const ENTRY = { track: { id: 7 }, topPx: 40, rows: 2, rowPx: 18 } as unknown as SceneTrack;

/** Rectangles that are drawn for a gap, and the dashes that are left. */
function drawn(track: number, start: bigint, end: bigint): { readonly rects: number[][]; readonly dashes: number[] } {
  const result = { rects: [] as number[][], dashes: [] as number[] };
  const context = {
    setLineDash: (dashes: number[]) => {
      result.dashes = dashes;
    },
    strokeRect: (...rect: number[]) => result.rects.push(rect),
  } as unknown as CanvasRenderingContext2D;
  gapOutline(track, { startTicks: ticks(start), endTicks: ticks(end) }).paintTrack(context, ENTRY, INPUT);
  return result;
}

it("goes around the gap on its track, over all rows, and leaves no dashes to others", () => {
  expect(drawn(7, 1200n, 1500n)).toEqual({ rects: [[20, 41, 30, 34]], dashes: [] });
});

it("has no edge at the edges of the screen, and is seen however short the gap is", () => {
  expect(drawn(7, 0n, 9000n).rects).toEqual([[-4, 41, 108, 34]]);
  expect(drawn(7, 1500n, 1501n).rects[0]![2]).toBe(2);
});

it("is on no other track, and not where the gap is not", () => {
  expect(drawn(8, 1200n, 1500n).rects).toEqual([]);
  expect(drawn(7, 5000n, 6000n).rects).toEqual([]);
  expect(drawn(7, 100n, 200n).rects).toEqual([]);
});
