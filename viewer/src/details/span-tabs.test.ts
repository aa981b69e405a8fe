import { ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { parts } from "../state/parts";
import { NOTHING, selection } from "../state/selection";
import { unreadParts } from "../state/shell";
import { chosenArgument, chosenGroups, chosenSecond, groupsQuestion } from "./span-tabs";

const AREA = { startTicks: ticks(0n), endTicks: ticks(9n) };

it("has both groupings of a range, and the argument of either, in the address", () => {
  unreadParts.value = [];
  selection.value = { kind: "area", range: AREA, tracks: new Set([1]) };
  const written = (first: string, second: string, argument = "") => {
    chosenGroups.value = first;
    chosenSecond.value = second;
    chosenArgument.value = argument;
    return parts.value.by;
  };
  expect([written("name", ""), written("name", "name"), written("name", "process")]).toEqual([
    ...[undefined, undefined, "name,process"],
  ]);
  expect(written("argument", "", "a:b, c")).toBe("argument:a:b, c");
  const texts = ["process,argument:size, of", "argument,track:size", "argument:", "track", "name,category"];
  for (const by of texts) {
    parts.value = { by };
    const { by: first, then, argument } = groupsQuestion();
    parts.value = {};
    expect(groupsQuestion()).toEqual({ by: "name" });
    expect(written(first!, then ?? "", argument)).toBe(by);
  }
  expect(unreadParts.value).toEqual([]);
  parts.value = { by: "NAME;" };
  expect(unreadParts.value).toEqual(["by=NAME;"]);
  selection.value = NOTHING;
});
