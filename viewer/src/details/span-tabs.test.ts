import { expect, it } from "vitest";
import { parts } from "../state/parts";
import { NOTHING, selection } from "../state/selection";
import { unreadParts } from "../state/shell";
import { areaTab, chosenArgument, chosenGroups, chosenSecond, groupsQuestion } from "./span-tabs";

const AREA = { kind: "area", range: { startTicks: 0n, endTicks: 9n }, tracks: new Set([1]) } as never;

it("has the address say both levels of groups, and whose values they are", () => {
  selection.value = AREA;
  chosenSecond.value = "process";
  expect(parts.value.by).toBe("name,process");
  chosenGroups.value = "argument";
  chosenArgument.value = "a,b:c";
  expect(parts.value.by).toBe("argument,process:a,b:c");
  parts.value = { by: "track,argument:size" };
  expect(Object.entries(groupsQuestion()).flat()).toEqual(["by", "track", "then", "argument", "argument", "size"]);
  parts.value = { by: "argument:a,b:c" };
  expect(groupsQuestion()).toEqual({ by: "argument", argument: "a,b:c" });
  parts.value = {};
  expect([chosenGroups.value, chosenSecond.value, chosenArgument.value]).toEqual(["name", "", ""]);
  unreadParts.value = [];
  parts.value = { by: "Name" };
  expect([groupsQuestion(), unreadParts.value]).toEqual([{ by: "name" }, ["by=Name"]]);
  selection.value = NOTHING;
});

it("says that an address names no tab there is, and shows the first", () => {
  selection.value = AREA;
  unreadParts.value = [];
  parts.value = { tab: "gaps" };
  expect(areaTab.value).toBe("gaps");
  parts.value = { tab: "gap" };
  expect([areaTab.value, parts.value.tab, unreadParts.value]).toEqual(["events", undefined, ["tab=gap"]]);
  selection.value = NOTHING;
});
