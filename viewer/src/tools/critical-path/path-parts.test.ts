import type { ToolAnswer } from "@tilescope/client";
import { expect, test } from "vitest";
import { column, table } from "../../answers/test-tables";
import { chartKinds, pathParts, pathSpan } from "./path-parts";

const kinds = table(
  [
    column("kind", "text", ["Copies", "Launch delay"]),
    column("time", "ticks", ["9007199254740993", "1"]),
    column("share", "fraction", [0.75, null]),
    column("pieces", "count", ["3", "1"]),
    column("word", "text", ["copies", "launch_delay"]),
  ],
  { id: "kinds" },
);

const answer = (start: string | null, span: string | null) =>
  ({
    tables: [kinds],
    series: [{ id: "kinds", ys: [column("copies", "ticks", []), column("launch_delay", "ticks", [])] }],
    facts: [
      { id: "start", value: start },
      { id: "span", value: span },
    ],
  }) as unknown as ToolAnswer;

test("parts are the rows of the table by kind, with exact times", () => {
  expect(pathParts(answer("0", "1"))).toEqual([
    { title: "Copies", kind: "copies", time: 9007199254740993n, share: 0.75, pieces: 3n },
    { title: "Launch delay", kind: "launch_delay", time: 1n, share: 0, pieces: 1n },
  ]);
  expect(pathParts({ ...answer("0", "1"), tables: [] })).toEqual([]);
});

test("a path lies where it starts, as long as it is; one without a tick lies nowhere", () => {
  expect(pathSpan(answer("9007199254740993", "2"))).toEqual({
    startTicks: 9007199254740993n,
    endTicks: 9007199254740995n,
  });
  expect(pathSpan(answer("5", "0"))).toBeNull();
  expect(pathSpan(answer(null, null))).toBeNull();
});

test("kinds have the order of the chart", () => {
  expect(chartKinds(answer("0", "1"))).toEqual(["copies", "launch_delay"]);
  expect(chartKinds({ ...answer("0", "1"), series: [] })).toEqual([]);
});
