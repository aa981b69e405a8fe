import { type ToolAnswer, type ToolQuestion, ticks } from "@tilescope/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { column, table } from "../answers/made-up";
import { HitBinsLoader, hitBins, laneKey, NO_HITS, readHitBins } from "./hit-bins";

function answer(rows: readonly (readonly [track: number, row: number, start: number])[]): ToolAnswer {
  const columns = [
    column(
      "track",
      "track",
      rows.map(([track]) => track),
    ),
    column(
      "row",
      "id",
      rows.map(([, row]) => row),
    ),
    column(
      "start",
      "time",
      rows.map(([, , start]) => String(start)),
    ),
  ];
  const fact = { id: "bin_ticks", label: "", kind: "ticks", value: "16", note: "" } as const;
  return {
    facts: [fact],
    tables: [table(columns, { id: "bins" })],
    series: [],
    notes: [],
    complete: true,
  } as unknown as ToolAnswer;
}

const RANGE = { startTicks: ticks(0n), endTicks: ticks(1000n) };

beforeEach(() => {
  vi.useFakeTimers();
  hitBins.value = NO_HITS;
});
afterEach(() => {
  vi.useRealTimers();
});

it("reads the bins of each row of each track", () => {
  const { binTicks, starts } = readHitBins(
    answer([
      [4, 0, 16],
      [4, 1, 16],
      [4, 0, 64],
    ]),
  );
  expect(binTicks).toBe(16n);
  expect([...starts]).toEqual([
    [laneKey(4, 0), [16n, 64n]],
    [laneKey(4, 1), [16n]],
  ]);
});

it("asks when the view has rested, of the last one alone, and keeps what is known until the answer is there", async () => {
  const asked: ToolQuestion[] = [];
  const loader = new HitBinsLoader(async (question) => {
    asked.push(question);
    return answer([[1, 0, 32]]);
  });
  loader.follow("fusion", RANGE, "1-3", 800);
  loader.follow("fusion", { ...RANGE, endTicks: ticks(500n) }, "1-3", 800);
  await vi.advanceTimersByTimeAsync(200);
  expect(asked).toEqual([{ query: "fusion", start: 0n, end: 500n, tracks: "1-3", px: 800, by: "lane" }]);
  expect(hitBins.value.starts.get(laneKey(1, 0))).toEqual([32n]);
  loader.follow("fusion", RANGE, "1-3", 800);
  expect(hitBins.value.starts.size).toBe(1);
  loader.close();
  expect(hitBins.value).toBe(NO_HITS);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked.length).toBe(1);
});

it("marks nothing where the server has no answer", async () => {
  const loader = new HitBinsLoader(() => Promise.reject(new Error("too many bins")));
  hitBins.value = { binTicks: 1n, starts: new Map([[laneKey(1, 0), [1n]]]) };
  loader.follow("x", RANGE, "1", 800);
  await vi.advanceTimersByTimeAsync(200);
  expect(hitBins.value).toBe(NO_HITS);
});
