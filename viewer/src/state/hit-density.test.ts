import { ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { covers, type DensityWish, widened } from "./hit-density";

const RUN = { startTicks: ticks(0), endTicks: ticks(10_000) };

function wish(from: number, to: number, more: Partial<DensityWish> = {}): DensityWish {
  const range = { startTicks: ticks(from), endTicks: ticks(to) };
  return { key: "k", query: "op", range, widthPx: 1000, tracks: [1, 2], rows: 4, ...more };
}

it("asks for what lies beside a view, within the run, at the same scale", () => {
  const wider = widened(wish(2000, 4000), RUN, 0.5);
  expect(wider.range).toEqual({ startTicks: 1000n, endTicks: 5000n });
  expect(wider.widthPx).toBe(2000);
  expect(widened(wish(-500, 20_000), RUN, 0).range).toEqual({ startTicks: 0n, endTicks: 10_001n });
  expect(widened(wish(30_000, 40_000), RUN, 0).range.endTicks).toBeGreaterThan(30_000n);
});

it("asks for fewer pixels where the rows are many", () => {
  expect(widened(wish(0, 10_000, { rows: 2000 }), RUN, 0).widthPx).toBe(100);
  expect(widened(wish(0, 10_000, { rows: 9e9 }), RUN, 0).widthPx).toBe(1);
});

it("asks again for another search, other tracks, what was not asked for, and a finer or much coarser view", () => {
  const wider = widened(wish(2000, 4000), RUN, 0.5);
  expect(covers(wider, wish(2500, 4500))).toBe(true);
  expect(covers(wider, wish(2000, 4000, { tracks: [2] }))).toBe(true);
  expect(covers(wider, wish(2000, 4000, { key: "other" }))).toBe(false);
  expect(covers(wider, wish(2000, 4000, { tracks: [3] }))).toBe(false);
  expect(covers(wider, wish(900, 2900))).toBe(false);
  expect(covers(wider, wish(2500, 3500))).toBe(false);
  expect(covers(wider, wish(2000, 4000, { widthPx: 300 }))).toBe(false);
});
