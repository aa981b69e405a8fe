import { type EventDetails, ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { neighbourQuestion, noNeighbour } from "./name-walk";

const EVENT = { track: 7, ordinal: 3n, name: 'a "b"', category: "", startTicks: ticks("9007199254740993") };

const question = (change: Partial<EventDetails>, direction: "previous" | "next" = "next") =>
  neighbourQuestion({ ...EVENT, ...change } as EventDetails, direction);

it("asks for the next event of the name and category alone, from the place of the slice on", () => {
  expect(question({})).toEqual({
    query: '"a \\"b\\"" cat:""',
    tracks: "7",
    limit: 1,
    names: 0,
    totals: "false",
    after: "9007199254740993,7,3",
    backward: "false",
  });
  expect(question({ category: "op" }, "previous")).toMatchObject({ query: '"a \\"b\\"" cat:"op"', backward: "true" });
});

it("has no question for a name that is longer than a search", () => {
  expect(question({ name: "x".repeat(600) })).toBeNull();
  expect([noNeighbour("previous"), noNeighbour("next")]).toEqual([
    "This is the first slice of its name on this track",
    "This is the last slice of its name on this track",
  ]);
});
