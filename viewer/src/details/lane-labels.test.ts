import { ticks, type View } from "@tilescope/client";
import { expect, test } from "vitest";
import { measureGlyphs } from "../raster/text";
import type { SliceLane } from "./lane-bins";
import { laneLabels } from "./lane-labels";

const GLYPHS = measureGlyphs((text) => 6 * text.length);
const SEEN: View = { startTicks: ticks(0n), startFraction: 0, ticksPerPx: 1, widthPx: 200 };
const RANGE = { startTicks: ticks(0n), endTicks: ticks(200n) };

const piece = (start: bigint, end: bigint, row: number, name: number) => ({
  ...{ startTicks: start, endTicks: end, row, name, busyTicks: end - start },
});

test("wide slices have their names, narrow ones and bins none", () => {
  const pieces = [piece(0n, 100n, 0, 0), piece(0n, 20n, 1, 1), piece(120n, 160n, 1, 1), piece(0n, 200n, 1, 0)];
  const bins: SliceLane = { kind: "slices", range: RANGE, names: ["Default", "network"], pieces, slices: 3 };
  const labels = laneLabels(bins, SEEN, GLYPHS);
  expect(labels.map(({ row, name }) => [row, name])).toEqual([
    [0, 0],
    [1, 1],
  ]);
  expect(labels[0]).toMatchObject({ text: "Default", xPx: 29 });
  expect(labels[1]!.text).toMatch(/…/);
});

test("a name without room is shortened by meaning, and keeps what tells it from its like", () => {
  const names = ["void at::native::vectorized<Copy>(int)", "void at::native::vectorized<Fill>(int)"];
  const pieces = [piece(0n, 100n, 0, 0), piece(100n, 200n, 0, 1)];
  const labels = laneLabels({ kind: "slices", range: RANGE, names, pieces, slices: 2 }, SEEN, GLYPHS);
  expect(labels.map(({ text }) => text)).toEqual(["vectorized…Copy", "vectorized…Fill"]);
});
