import { expect, it } from "vitest";
import { makePane } from "../state/pane";
import { NOTHING } from "../state/selection";
import { unreadParts } from "../state/shell";
import { dropUnknownGroups, groupsQuestion, spanTabs } from "./span-tabs";

const pane = makePane();

const AREA = { kind: "area", range: { startTicks: 0n, endTicks: 9n }, tracks: new Set([1]) } as never;

it("has the address say both levels of groups, and whose values they are", () => {
  pane.selection.value = AREA;
  spanTabs(pane).chosenSecond.value = "process";
  expect(pane.parts.value.by).toBe("name,process");
  spanTabs(pane).chosenGroups.value = "argument";
  spanTabs(pane).chosenArgument.value = "a,b:c";
  expect(pane.parts.value.by).toBe("argument,process:a,b:c");
  pane.parts.value = { by: "track,argument:size" };
  expect(Object.entries(groupsQuestion(spanTabs(pane))).flat()).toEqual([
    "by",
    "track",
    "then",
    "argument",
    "argument",
    "size",
  ]);
  pane.parts.value = { by: "argument:a,b:c" };
  expect(groupsQuestion(spanTabs(pane))).toEqual({ by: "argument", argument: "a,b:c" });
  pane.parts.value = {};
  expect([
    spanTabs(pane).chosenGroups.value,
    spanTabs(pane).chosenSecond.value,
    spanTabs(pane).chosenArgument.value,
  ]).toEqual(["name", "", ""]);
  unreadParts.value = [];
  pane.parts.value = { by: "Name" };
  expect([groupsQuestion(spanTabs(pane)), unreadParts.value]).toEqual([{ by: "name" }, ["by=Name"]]);
  unreadParts.value = [];
  pane.parts.value = { by: "track,size" };
  dropUnknownGroups(spanTabs(pane), ["name", "track", "size"]);
  expect([pane.parts.value.by, unreadParts.value]).toEqual(["track,size", []]);
  dropUnknownGroups(spanTabs(pane), ["name", "track"]);
  expect([groupsQuestion(spanTabs(pane)), unreadParts.value]).toEqual([
    { by: "name" },
    ["by=track,size (no such groups)"],
  ]);
  expect(pane.parts.value.by).toBeUndefined();
  pane.selection.value = NOTHING;
});

it("says that an address names no tab there is, and shows the first", () => {
  pane.selection.value = AREA;
  unreadParts.value = [];
  pane.parts.value = { tab: "gaps" };
  expect(spanTabs(pane).areaTab.value).toBe("gaps");
  pane.parts.value = { tab: "gap" };
  expect([spanTabs(pane).areaTab.value, pane.parts.value.tab, unreadParts.value]).toEqual([
    "events",
    undefined,
    ["tab=gap"],
  ]);
  pane.selection.value = NOTHING;
});
