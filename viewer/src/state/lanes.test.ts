import type { ToolAnswer } from "@tilescope/client";
import { expect, test } from "vitest";
import { chosenLane, heightsOf, laneByTitle, laneHeightPx, lanesByTrack, lanesOf, withRows } from "./lanes";

const column = (id: string, values: readonly unknown[]) => ({ id, title: id, kind: "text", unit: "", values });
const ANSWER = {
  tables: [
    {
      id: "lanes",
      columns: [
        column("lane", ["overlap.2", "queues.7"]),
        column("title", ["What GPU 0 does", "Work in the queue"]),
        column("kind", ["slices", "counter"]),
        column("figure", ["ticks", "count"]),
        column("rows", [1, 1]),
        column("track", [7, 7]),
        column("makers", ["7,8", "7,1"]),
      ],
    },
  ],
} as unknown as ToolAnswer;

test("chosen lanes stand below their track, in the order of the choice", () => {
  const lanes = lanesOf(ANSWER);
  expect(lanes[0]).toMatchObject({ id: "overlap.2", kind: "slices", track: 7, makers: [7, 8] });
  const drawn = lanesByTrack(lanes, ["queues.7", "gone.1", "overlap.2"]);
  expect(drawn.get(7)?.map(({ id }) => id)).toEqual(["queues.7", "overlap.2"]);
  expect(heightsOf(drawn).get(7)).toBe(laneHeightPx(lanes[0]!) + laneHeightPx(lanes[1]!));
  expect(lanesByTrack(lanes, []).size).toBe(0);
  expect(lanesOf({ ...ANSWER, tables: [] })).toEqual([]);
});

test("a lane by its title, also where titles name hosts and the asker does not", () => {
  const lanes = ["Memory b · 10", "Memory a · 0", "Memory b · 0"].map((title) => ({ ...lanesOf(ANSWER)[0]!, title }));
  expect(laneByTitle(lanes, "Memory b · 0")).toBe(lanes[2]);
  expect(laneByTitle(lanes, "Memory 0")).toBe(lanes[1]);
  expect(laneByTitle(lanes, "Memory 1")).toBeUndefined();
});

test("a lane with its outermost rows is another lane for the server, and is told to be drawn by its own id", () => {
  const whole = { ...lanesOf(ANSWER)[0]!, id: "overlap.scopes-2", rows: 5 };
  expect(withRows(whole, 2)).toMatchObject({ id: "overlap.scopes-2:2", rows: 2 });
  expect(withRows(whole, 5)).toBe(whole);
  expect(withRows(whole, 9)).toBe(whole);
  expect(chosenLane(whole, ["queues.7", "overlap.scopes-2:3"])).toMatchObject({ id: "overlap.scopes-2:3", rows: 3 });
  expect(chosenLane(whole, ["overlap.scopes-22:3"])).toBeUndefined();
  const drawn = lanesByTrack([whole], ["overlap.scopes-2:2"]);
  expect(drawn.get(7)).toMatchObject([{ id: "overlap.scopes-2:2", rows: 2 }]);
  expect(heightsOf(drawn).get(7)).toBeLessThan(laneHeightPx(whole));
});
