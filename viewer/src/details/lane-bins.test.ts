import { type ToolAnswer, ticks } from "@tilescope/client";
import { expect, test } from "vitest";
import {
  askedRange,
  binAt,
  type CounterLane,
  counterColumns,
  greatestNear,
  laneBins,
  rangeOf,
  type SliceLane,
  shareColumns,
  sharesAt,
} from "./lane-bins";

const column = (id: string, values: readonly unknown[]) => ({ id, title: id, kind: "bytes", unit: "", values });
const range = { startTicks: ticks(10n), endTicks: ticks(50n) };
const table = (id: string, columns: readonly unknown[]) => ({ id, columns });
const answer = (...tables: readonly unknown[]) => ({ facts: [], series: [], tables }) as unknown as ToolAnswer;

const COUNTER = answer(
  table("counter_bins", [
    column("start", ["10", "20", "30", "40"]),
    column("min", [null, "5", "2", "9007199254740993"]),
    column("max", [null, "9", "2", "9007199254740993"]),
  ]),
);

test("bins of a counter, exactly, and where they are", () => {
  const bins = laneBins(COUNTER, range) as CounterLane;
  expect([bins.kind, bins.top]).toEqual(["counter", 9007199254740993n]);
  expect([9n, 10n, 19n, 20n, 49n, 50n].map((tick) => binAt(bins, tick))).toEqual([-1, 0, 0, 1, 3, -1]);
  expect([greatestNear(bins, 2, 0), greatestNear(bins, 2, 1), greatestNear(bins, 0, 1)]).toEqual([2, 3, 1]);
  expect(rangeOf(bins, 3)).toEqual({ startTicks: 40n, endTicks: 50n });
  const view = { startTicks: ticks(20n), startFraction: 0, ticksPerPx: 2, widthPx: 7 };
  const columns = counterColumns({ ...bins, top: 10n }, view, 1);
  expect([...columns.greatest]).toEqual([0.9, 0.9, 0.9, 0.9, 0.9, 0.2, 0.2]);
  expect([...columns.least]).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.2, 0.2]);
  // Where bins are narrower than a pixel, a column has all of them.
  const far = counterColumns({ ...bins, top: 10n }, { ...view, startTicks: ticks(10n), ticksPerPx: 40, widthPx: 3 }, 1);
  expect([far.least[0], far.greatest[0], far.greatest[1]]).toEqual([0.2, Number(9007199254740993n) / 10, Number.NaN]);
});

test("slices fill their columns, bins the part that is busy in them", () => {
  const lane = laneBins(
    answer(
      table("slices", [
        column("start", ["10"]),
        column("duration", ["20"]),
        column("row", [0]),
        column("name", ["Idle"]),
      ]),
      table("bins", [
        column("start", ["30", "30"]),
        column("duration", ["20", "20"]),
        column("row", [0, 0]),
        column("busy", ["5", "15"]),
        column("name", ["Idle", "Copies"]),
      ]),
    ),
    range,
  ) as SliceLane;
  expect(lane.names).toEqual(["Copies", "Idle"]);
  const view = { startTicks: ticks(10n), startFraction: 0, ticksPerPx: 10, widthPx: 5 };
  const [copies, idle] = shareColumns(lane, 0, view, 1).map((shares) => [...shares]);
  expect(idle).toEqual([1, 1, 0.25, 0.25, 0]);
  expect(copies).toEqual([0, 0, 0.75, 0.75, 0]);
  expect(shareColumns(lane, 1, view, 1)[0]!.every((share) => share === 0)).toBe(true);
  expect(sharesAt(lane, 31n)).toEqual([
    { name: "Copies", share: 0.75 },
    { name: "Idle", share: 0.25 },
  ]);
});

test("nothing is asked about what the run does not have", () => {
  const run = { startTicks: ticks(0n), endTicks: ticks(30n) };
  expect(askedRange(range, run)).toEqual({ startTicks: 10n, endTicks: 30n });
  expect(askedRange({ startTicks: ticks(30n), endTicks: ticks(40n) }, run)).toBeNull();
});
