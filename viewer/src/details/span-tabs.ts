/** Tab of a span that is shown: kept from one selection to the next. */

import { signal } from "@preact/signals";
import { GROUPINGS, type TreeGrouping } from "../answers/tree-groupings";
import type { Pane } from "../state/pane";
import { bindPart } from "../state/part-text";
import { addUnread } from "../state/parts";
import { perPane } from "../state/per-pane";

/** All tabs of spans, by id. */
const TABS: ReadonlySet<string> = new Set(["own", "events", "counters", "gaps", "overlap", "flows", "call-tree"]);

/** `category,argument:size`: one or two levels, and the argument where one of them is by that. */
const GROUPS = /^([a-z]{1,64})(?:,([a-z]{1,64}))?(?::(.*))?$/s;

function signals() {
  /** Tab of a selected area. */
  const areaTab = signal("events");
  /** Tab of a bin. */
  const binTab = signal("own");

  /** By what events are summed up. */
  const chosenGroups = signal("name");
  /** By what each of these groups is divided; empty: by nothing. */
  const chosenSecond = signal("");
  /** By whose values, where that is an argument; empty: none is named yet. */
  const chosenArgument = signal("");

  /** Trees of the call tree. */
  const chosenTrees = signal<TreeGrouping>("name");
  return { areaTab, binTab, chosenGroups, chosenSecond, chosenArgument, chosenTrees };
}

export type SpanTabs = ReturnType<typeof signals>;

/** The tabs of a pane, in step with its address. */
export const spanTabs = perPane((pane) => {
  const tabs = signals();
  bind(tabs, pane);
  return tabs;
});

/** The trees as a part of a question to `call_tree`. */
export function treesQuestion({ chosenTrees }: SpanTabs): Readonly<Record<string, string>> {
  return chosenTrees.value === "name" ? {} : { by: chosenTrees.value };
}

/** The grouping as a part of a question to `stats`. */
export function groupsQuestion({
  chosenGroups,
  chosenSecond,
  chosenArgument,
}: SpanTabs): Readonly<Record<string, string>> {
  const by = chosenGroups.value;
  const then = chosenSecond.value === by ? "" : chosenSecond.value;
  return {
    ...{ by },
    ...(then === "" ? {} : { then }),
    ...(by === "argument" || then === "argument" ? { argument: chosenArgument.value } : {}),
  };
}

/** Says in the status bar which groups of the address the server does not offer, and sums up by names instead. */
export function dropUnknownGroups(tabs: SpanTabs, offered: readonly string[]): void {
  const { by, then } = groupsQuestion(tabs);
  if ([by, then].some((group) => group !== undefined && !offered.includes(group))) {
    addUnread(`by=${groupsText(tabs)} (no such groups)`);
    tabs.chosenGroups.value = "name";
    tabs.chosenSecond.value = "";
    tabs.chosenArgument.value = "";
  }
}

function groupsText(tabs: SpanTabs): string {
  const { by, then, argument } = groupsQuestion(tabs);
  return (then === undefined ? by! : `${by},${then}`) + (argument === undefined ? "" : `:${argument}`);
}

function bind(tabs: SpanTabs, { parts, selection }: Pick<Pane, "parts" | "selection">): void {
  const { areaTab, binTab, chosenGroups, chosenSecond, chosenArgument, chosenTrees } = tabs;

  /** The tab of what is selected, and what it is without a word of the address; null where nothing with tabs is. */
  function shownTab() {
    if (parts.value.bin !== undefined) {
      return { tab: binTab, first: "own" };
    }
    return selection.value.kind === "area" ? { tab: areaTab, first: "events" } : null;
  }

  bindPart(
    parts,
    "tab",
    () => {
      const shown = shownTab();
      return shown === null || shown.tab.value === shown.first ? null : shown.tab.value;
    },
    (text) => {
      const shown = shownTab();
      if (shown !== null) {
        shown.tab.value = text !== null && TABS.has(text) ? text : shown.first;
      }
      return text === null || (shown !== null && TABS.has(text));
    },
  );

  bindPart(
    parts,
    "by",
    () => {
      const text = groupsText(tabs);
      return shownTab() === null || text === "name" ? null : text;
    },
    (text) => {
      const match = GROUPS.exec(text ?? "");
      const [, by = "name", then = "", argument = ""] = match ?? [];
      chosenGroups.value = by;
      chosenSecond.value = then;
      chosenArgument.value = argument;
      return text === null || match !== null;
    },
  );

  bindPart(
    parts,
    "trees",
    () => (shownTab() !== null && chosenTrees.value !== "name" ? chosenTrees.value : null),
    (text) => {
      const wanted = GROUPINGS.find((grouping) => grouping === text);
      chosenTrees.value = wanted ?? "name";
      return text === null || wanted !== undefined;
    },
  );
}
