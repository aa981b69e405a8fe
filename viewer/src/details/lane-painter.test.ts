import { ticks, type View } from "@tilescope/client";
import { afterEach, expect, test, vi } from "vitest";
import type { SliceLane } from "./lane-bins";
import { paintLane } from "./lane-painter";

const SEEN: View = { startTicks: ticks(0n), startFraction: 0, ticksPerPx: 1, widthPx: 200 };
const LANE = { id: "overlap.scopes-1", rows: 2 };
const RANGE = { startTicks: ticks(0n), endTicks: ticks(200n) };

afterEach(() => vi.unstubAllGlobals());

test("a search fades the slices that it does not find, and no name", () => {
  vi.stubGlobal("devicePixelRatio", 1);
  vi.stubGlobal("getComputedStyle", () => ({ fontFamily: "sans-serif" }));
  const opacities = { slices: new Set<number>(), names: new Set<number>() };
  const context = {
    globalAlpha: 1,
    scale: () => undefined,
    measureText: (text: string) => ({ width: 6 * text.length }),
    fillRect: () => opacities.slices.add(context.globalAlpha),
    fillText: () => opacities.names.add(context.globalAlpha),
  };
  const canvas = { getContext: () => Object.assign(context, { canvas }), width: 0, height: 0 };
  const pieces = [0, 1].map((row) => ({
    ...{ startTicks: RANGE.startTicks, endTicks: RANGE.endTicks, row, name: row, busyTicks: 200n },
  }));
  const bins: SliceLane = { kind: "slices", range: RANGE, names: ["Default", "network"], pieces, slices: 2 };
  paintLane(canvas as unknown as HTMLCanvasElement, bins, LANE, SEEN, 40, "light", new Set(["Default"]));
  expect([...opacities.slices]).toEqual([1, 0.26]);
  expect([...opacities.names]).toEqual([1]);
});
