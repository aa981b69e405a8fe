import { Shifts, type ToolAnswer, type ToolQuestion, ticks } from "@tilescope/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { column, table } from "../answers/test-tables";
import { DrawnHits, groupsOf } from "./drawn-hits";
import type { DensityWish } from "./hit-density";
import type { Trace } from "./trace";

const KEY = "r b ready 0 a";
const wishOf = (tracks: readonly number[], start = 500, end = 600): DensityWish => ({
  ...{ key: KEY, query: "a", widthPx: 100, tracks, rows: tracks.length },
  range: { startTicks: ticks(start), endTicks: ticks(end) },
});

let answers: ((answer: ToolAnswer) => void)[] = [];
let aborted = 0;
const ask = vi.fn((_tool: string, _question: ToolQuestion, abort: AbortSignal) => {
  abort.addEventListener("abort", () => (aborted += 1));
  return new Promise<ToolAnswer>((resolve) => answers.push(resolve));
});
const range = { startTicks: ticks(0), endTicks: ticks(1_000_000) };
const trace = {
  manifest: { run: "r", build: "b", state: "ready", revision: 0, range },
  api: { ask },
} as unknown as Trace;

/** Nothing was hit. */
const nothing = {
  facts: [{ id: "bin_ticks", value: "10" }],
  tables: [
    table(
      ["track", "row", "start", "count", "busy"].map((name) => column(name, "count", [])),
      { id: "bins" },
    ),
  ],
  ...{ series: [], notes: [] },
} as unknown as ToolAnswer;

const rest = () => vi.advanceTimersByTimeAsync(200);

beforeEach(() => {
  vi.useFakeTimers();
  ask.mockClear();
  [answers, aborted] = [[], 0];
});
afterEach(() => {
  vi.useRealTimers();
});

it("asks about clocks together that are shifted by no more than the view is wide", () => {
  const shifts = new Shifts(
    new Map([
      [1, -30n],
      [2, 70n],
      [3, 71n],
      [4, 5000n],
    ]),
  );
  expect(groupsOf(wishOf([0, 1, 2, 3, 4]), shifts)).toEqual([
    { shifts: [-30n, 0n, 70n], tracks: [1, 0, 2] },
    { shifts: [71n], tracks: [3] },
    { shifts: [5000n], tracks: [4] },
  ]);
  expect(groupsOf(wishOf([0, 4]), null)).toEqual([{ shifts: [0n], tracks: [0, 4] }]);
});

it("asks one question for sixty clocks that are nearly right, about all times that they showed", async () => {
  const tracks = Array.from({ length: 60 }, (_, k) => k);
  const hits = new DrawnHits();
  hits.want(trace, wishOf(tracks), new Shifts(new Map(tracks.map((track) => [track, BigInt(track - 30)]))));
  await rest();
  expect(ask).toHaveBeenCalledTimes(1);
  const [, question] = ask.mock.calls[0]!;
  expect(question.tracks).toEqual(tracks);
  expect(Number(question.start)).toBeLessThanOrEqual(500 - 29);
  expect(Number(question.end)).toBeGreaterThanOrEqual(600 + 30);
  answers[0]!(nothing);
  await rest();
  const origins = [0, 59].map((track) => hits.shown(KEY).gridOf(track)!.originTicks);
  expect(origins[1]! - origins[0]!).toBe(59n);
});

it("has four questions on their way at most, and asks the others as these are answered", async () => {
  const tracks = Array.from({ length: 60 }, (_, k) => k);
  const shifts = new Shifts(new Map(tracks.map((track) => [track, BigInt(-1000 * track)])));
  const hits = new DrawnHits();
  const want = async () => {
    hits.want(trace, wishOf(tracks), shifts);
    await rest();
  };
  await want();
  await want();
  expect(ask).toHaveBeenCalledTimes(4);
  for (let count = 4; count <= 60; count += 4) {
    expect(hits.shown(KEY).isPending).toBe(true);
    for (const answer of answers.splice(0)) {
      answer(nothing);
    }
    await rest();
    await want();
  }
  expect(ask).toHaveBeenCalledTimes(60);
  expect(hits.shown(KEY).isPending).toBe(false);
  expect(tracks.every((track) => hits.shown(KEY).gridOf(track) !== null)).toBe(true);
});

it("does not ask about clocks of which nothing is in the view, and gives up what is scrolled away", async () => {
  const shifts = new Shifts(
    new Map([
      [1, 5000n],
      [2, -5000n],
    ]),
  );
  const hits = new DrawnHits();
  hits.want(trace, wishOf([0, 1, 2]), shifts);
  await rest();
  expect(ask.mock.calls.map(([, { tracks }]) => tracks)).toEqual([[2], [0]]);
  hits.want(trace, wishOf([0]), shifts);
  await rest();
  expect(aborted).toBe(1);
  hits.clear();
  expect(aborted).toBe(2);
});
