import type { ToolAnswer } from "@tilescope/client";
import { expect, it } from "vitest";
import { barHeights, binOf, ordinalText, type Rank, rankText, readRank } from "./rank";

const RANK: Rank = {
  count: 318n,
  durationTicks: 40n,
  longer: [2n, 2n],
  equal: 1n,
  shortestTicks: 3n,
  medianTicks: 21n,
  isMedianExact: true,
  meanTicks: 22n,
  longestTicks: 1n << 61n,
  totalTicks: 7n,
  bins: [
    { leastTicks: 3n, mostTicks: 9n, count: 1000n },
    { leastTicks: 10n, mostTicks: 20n, count: 0n },
    { leastTicks: 21n, mostTicks: 1n << 61n, count: 1n },
  ],
};

it("says in words where a slice stands", () => {
  const cases: [Partial<Rank>, string][] = [
    [{}, "3rd longest of 318"],
    [{ longer: [0n, 0n] }, "Longest of 318"],
    [{ longer: [0n, 0n], equal: 3n }, "Longest of 318, with 2 others"],
    [{ longer: [11n, 11n], equal: 2n }, "12th longest of 318, with 1 other"],
    [{ longer: [317n, 317n] }, "Shortest of 318"],
    [{ count: 1n, longer: [0n, 0n] }, "The only slice of its name"],
    [{ longer: [0n, 0n], equal: 318n, shortestTicks: 5n, longestTicks: 5n }, "All 318 of its name last equally long"],
    [{ longer: [1202n, 1310n], equal: null, count: 40_000n }, "1,203rd to 1,310th longest of 40,000"],
  ];
  for (const [change, text] of cases) {
    expect(rankText({ ...RANK, ...change })).toBe(text);
  }
});

it("counts as one says it", () => {
  const places = [1n, 2n, 3n, 4n, 11n, 12n, 13n, 21n, 102n, 111n, 113n, 1023n];
  expect(places.map(ordinalText)).toEqual("1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th 113th 1,023rd".split(" "));
});

it("reads integers of 64 bits exactly", () => {
  const ticks = (2n ** 61n + 1n).toString();
  const figures = {
    count: 2,
    duration: ticks,
    rank: null,
    longer: 0,
    longer_most: 2,
    equal: null,
    longest: ticks,
    about_median: "7",
  };
  const columns = { least: ["0"], most: [ticks], count: [2] };
  const answer = {
    facts: Object.entries(figures).map(([id, value]) => ({ id, value })),
    tables: [{ id: "distribution", columns: Object.entries(columns).map(([id, values]) => ({ id, values })) }],
  } as unknown as ToolAnswer;
  const rank = readRank(answer);
  expect(rank).toMatchObject({ durationTicks: 2n ** 61n + 1n, longer: [0n, 2n], equal: null, medianTicks: 7n });
  expect(rank.bins).toEqual([{ leastTicks: 0n, mostTicks: 2n ** 61n + 1n, count: 2n }]);
});

it("marks the bin of the slice, and draws every bin that has a slice", () => {
  expect([3n, 9n, 10n, 1n << 61n, 2n].map((ticks) => binOf(RANK, ticks))).toEqual([0, 0, 1, 2, -1]);
  expect(barHeights(RANK)).toEqual([100, 0, 6]);
});
