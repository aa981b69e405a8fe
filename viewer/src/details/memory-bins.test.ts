import { type ToolAnswer, ticks } from "@tilescope/client";
import { expect, test } from "vitest";
import { askedRange, binAt, columnsOf, fullestNear, memoryBins, rangeOf } from "./memory-bins";

const column = (id: string, values: readonly unknown[]) => ({ id, title: id, kind: "bytes", unit: "", values });
const range = { startTicks: ticks(10n), endTicks: ticks(50n) };

const ANSWER = {
  facts: [{ id: "memory", value: "0", note: "of host 1" }],
  series: [
    {
      id: "bins",
      x: column("start", ["10", "20", "30", "40"]),
      ys: [
        column("least", [null, "5", "2", "9007199254740993"]),
        column("greatest", [null, "9", "2", "9007199254740993"]),
      ],
    },
  ],
  tables: [{ id: "memories", columns: [column("memory", ["0", "0"]), column("host", ["host 0", "host 1"])] }],
} as unknown as ToolAnswer;

test("parts of a span, exactly, and where they are", () => {
  const bins = memoryBins(ANSWER, range)!;
  expect([bins.memory, bins.names, bins.top]).toEqual(["host 1 · 0", ["host 0 · 0", "host 1 · 0"], 9007199254740993n]);
  expect([9n, 10n, 19n, 20n, 49n, 50n].map((tick) => binAt(bins, tick))).toEqual([-1, 0, 0, 1, 3, -1]);
  expect([fullestNear(bins, 2, 0), fullestNear(bins, 2, 1), fullestNear(bins, 0, 1)]).toEqual([2, 3, 1]);
  expect(rangeOf(bins, 3)).toEqual({ startTicks: 40n, endTicks: 50n });
  const view = { startTicks: ticks(20n), startFraction: 0, ticksPerPx: 2, widthPx: 7 };
  const columns = columnsOf({ ...bins, top: 10n }, view, 1);
  expect([...columns.greatest]).toEqual([0.9, 0.9, 0.9, 0.9, 0.9, 0.2, 0.2]);
  expect([...columns.least]).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.2, 0.2]);
  // Where parts are narrower than a pixel, a column has all of them.
  const far = columnsOf({ ...bins, top: 10n }, { ...view, startTicks: ticks(10n), ticksPerPx: 40, widthPx: 3 }, 1);
  expect([far.least[0], far.greatest[0], far.greatest[1]]).toEqual([0.2, Number(9007199254740993n) / 10, Number.NaN]);
  expect(memoryBins({ ...ANSWER, tables: [] }, range)).toBeNull();
});

test("nothing is asked about what the run does not have", () => {
  const run = { startTicks: ticks(0n), endTicks: ticks(30n) };
  expect(askedRange(range, run)).toEqual({ startTicks: 10n, endTicks: 30n });
  expect(askedRange({ startTicks: ticks(30n), endTicks: ticks(40n) }, run)).toBeNull();
});
