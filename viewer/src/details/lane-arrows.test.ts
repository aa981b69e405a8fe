import { type ToolAnswer, ticks, type View } from "@tilescope/client";
import { expect, test } from "vitest";
import { column, table } from "../answers/test-tables";
import { laneArrows, MOST_ARROWS } from "./lane-arrows";

const SEEN: View = { startTicks: ticks(100n), startFraction: 0, widthPx: 200, ticksPerPx: 2 };

function answerOf(launched: readonly (string | null)[], starts: readonly string[]): ToolAnswer {
  const events = table([column("launched", "time", launched), column("start", "time", starts)], { id: "events" });
  return { facts: [], tables: [events], series: [], notes: [] } as unknown as ToolAnswer;
}

test("an arrow goes from the launch to the start, however far that is", () => {
  const [arrow] = laneArrows(answerOf(["120"], ["180"]), SEEN, 40);
  expect(arrow).toEqual({ fromPx: 10, toPx: 40, yPx: 20 });
});

test("events without a launch have none, and the others lie below each other", () => {
  const arrows = laneArrows(answerOf(["100", null, "110"], ["120", "130", "140"]), SEEN, 40);
  expect(arrows.map(({ yPx }) => yPx)).toEqual([5, 35]);
  expect(arrows.map(({ toPx }) => toPx)).toEqual([10, 20]);
});

test("of many only some are drawn, within the lane", () => {
  const many = Array.from({ length: 30 }, (_, k) => String(100 + k));
  const arrows = laneArrows(answerOf(many, many), SEEN, 40);
  expect(arrows).toHaveLength(MOST_ARROWS);
  expect(arrows.every(({ yPx }) => yPx >= 5 && yPx <= 35)).toBe(true);
});
