import type { ToolAnswer } from "@tilescope/client";
import { expect, test } from "vitest";
import { column, table } from "../../answers/test-tables";
import { ranksOf, STAGES, stagesOf } from "./stages-model";

function answer(shown: string | null): ToolAnswer {
  const stages = table(
    [
      column("stage", "name", ["Processing", "Sending", "Processing", "Sending"]),
      column("rank", "text", ["0", "0", "1", "1"]),
      column("verdict", "text", ["normal", "warning", null, null]),
      column("in_doubt", "count", ["1", "2", null, "3"]),
      column("queue", "text", ["a", "b", "c", "d"]),
      column("full", "count", ["9", null, null, null]),
    ],
    { id: STAGES },
  );
  const facts = shown === null ? [] : [{ id: "data_rank", label: "Rank", value: shown, kind: "text", note: "" }];
  return { facts, tables: [stages], series: [], notes: [], complete: true } as unknown as ToolAnswer;
}

test("stages are those of the rank that is shown, with what was recorded", () => {
  const contents = (rank: string) =>
    stagesOf(answer(rank)).map(({ title, verdict, columns }) => [
      title,
      verdict,
      columns.map(({ column: { id }, value }) => [id, value]),
    ]);
  expect(contents("0")).toEqual([
    [
      "Processing",
      "normal",
      [
        ["in_doubt", "1"],
        ["full", "9"],
      ],
    ],
    ["Sending", "warning", [["in_doubt", "2"]]],
  ]);
  expect(contents("1")).toEqual([
    ["Processing", null, []],
    ["Sending", null, [["in_doubt", "3"]]],
  ]);
});

test("ranks are listed once, in their order", () => {
  expect(ranksOf(answer("0"))).toEqual(["0", "1"]);
});

test("an answer without stages has none, and no ranks", () => {
  const bare = { ...answer(null), tables: [] };
  expect([stagesOf(bare), ranksOf(bare)]).toEqual([[], []]);
});
