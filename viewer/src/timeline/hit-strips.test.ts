import { ticks, type View } from "@tilescope/client";
import { expect, it } from "vitest";
import { laneKey } from "../state/hit-bins";
import { hitStrips } from "./hit-strips";

const VIEW: View = { startTicks: ticks(1000n), startFraction: 0, ticksPerPx: 10, widthPx: 100 };
const LANE = laneKey(2, 1);

function strips(starts: readonly bigint[], binTicks = 16n): readonly (readonly [number, number])[] {
  return hitStrips({ binTicks, starts: new Map([[LANE, starts]]) }, LANE, VIEW).map(({ fromPx, toPx }) => [
    fromPx,
    toPx,
  ]);
}

it("covers each bin on the screen, joined where they touch", () => {
  expect(strips([1008n, 1024n, 1200n])).toEqual([
    [0, 4],
    [20, 22],
  ]);
});

it("is two pixels wide at least, and leaves out what is beyond the edges", () => {
  expect(strips([984n, 1104n, 1999n, 2000n], 1n)).toEqual([
    [10, 12],
    [99, 101],
  ]);
});

it("marks nothing on rows without hits", () => {
  expect(hitStrips({ binTicks: 16n, starts: new Map() }, LANE, VIEW)).toEqual([]);
});
