import { type ToolAnswer, ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { beyond, type FoundHit, HitRun, hitsOf, placeBefore, rankOf, rankQuestions } from "./hit-walk";

function hit(start: number, track = 0, ordinal = start): FoundHit {
  return { startTicks: ticks(start), track, ordinal, name: "x", durationTicks: ticks(1) };
}

function answer(hits: readonly FoundHit[], more: string | null = null, count = 0): ToolAnswer {
  const column = (id: string, values: readonly (string | number)[]) => ({ id, values });
  const columns = [
    column(
      "event",
      hits.map(({ track, ordinal }) => `${track}.${ordinal}`),
    ),
    column(
      "start",
      hits.map(({ startTicks }) => String(startTicks)),
    ),
    column(
      "duration",
      hits.map(({ durationTicks }) => String(durationTicks)),
    ),
    column(
      "name",
      hits.map(({ name }) => name),
    ),
  ];
  const facts = [{ id: "count", value: count }];
  return { complete: true, facts, tables: [{ id: "events", columns, more }] } as unknown as ToolAnswer;
}

it("asks for what is beyond a place, and reads what is listed", () => {
  expect(beyond("op", hit(5, 2, 9), "previous")).toMatchObject({ query: "op", after: "5,2,9", backward: "true" });
  expect(beyond("op", null, "next").after).toBeUndefined();
  const page = hitsOf(answer([hit(3), hit(4, 1, 7)], "4,1,7"));
  expect(page.hits).toEqual([hit(3), hit(4, 1, 7)]);
  expect(page.more).toEqual({ startTicks: 4n, track: 1, ordinal: 7 });
});

it("begins before all that starts at a time", () => {
  expect(placeBefore(ticks(0))).toMatchObject({ startTicks: -1n });
  expect(placeBefore(ticks(8))).toMatchObject({ startTicks: 7n });
});

it("counts the hits until one, also where several start together", () => {
  const [until, later] = rankQuestions("op", hit(5, 2, 9));
  expect([until.end, later.start, later.end, later.after]).toEqual([6n, 5n, 6n, "5,2,9"]);
  expect(rankOf(answer([], null, 12), answer([hit(5, 3, 1), hit(5, 3, 2)]))).toBe(10);
  expect(rankOf(answer([], null, 12), answer([hit(5, 3, 1)], "5,3,1"))).toBeNull();
});

it("knows the hits beyond those that were listed, as long as none is missing between them", () => {
  const run = new HitRun();
  run.add(null, "next", [hit(1), hit(2), hit(3)], false);
  expect(run.beyond(null, "next")).toEqual(hit(1));
  expect(run.beyond(hit(1), "next")).toEqual(hit(2));
  expect(run.beyond(hit(1), "previous")).toBeNull();
  expect(run.beyond(hit(3), "next")).toBeUndefined();
  run.add(hit(3), "next", [hit(5), hit(6)], true);
  expect(run.beyond(hit(3), "next")).toEqual(hit(5));
  expect(run.beyond(hit(4), "next"), "beside a place that is no hit").toEqual(hit(5));
  expect(run.beyond(hit(4), "previous")).toEqual(hit(3));
  expect(run.beyond(hit(6), "next")).toBeNull();
  expect(run.beyond(null, "previous")).toEqual(hit(6));
  run.forget();
  run.add(hit(90), "previous", [hit(80), hit(70)], false);
  expect(run.beyond(hit(80), "previous")).toEqual(hit(70));
  expect(run.beyond(hit(85), "previous")).toEqual(hit(80));
  expect(run.beyond(hit(1), "next")).toBeUndefined();
  expect(run.beyond(hit(75), "next")).toEqual(hit(80));
  expect(run.beyond(hit(95), "previous")).toBeUndefined();
  // From where one asked there may be a hit: it is not passed over.
  run.add(hit(90), "next", [hit(95)], false);
  expect(run.beyond(hit(90), "next")).toEqual(hit(95));
  expect(run.beyond(hit(95), "previous")).toBeUndefined();
  run.add(hit(95), "previous", [hit(90), hit(80)], false);
  expect(run.beyond(hit(95), "previous")).toEqual(hit(90));
  expect(run.beyond(hit(75), "next")).toBeUndefined();
  run.add(hit(20), "next", [hit(30)], false);
  expect(run.beyond(hit(75), "next"), "what lies apart is forgotten").toBeUndefined();
});
