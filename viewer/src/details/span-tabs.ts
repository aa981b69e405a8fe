/** Tab of a span that is shown: kept from one selection to the next. */

import { signal } from "@preact/signals";
import { GROUPINGS, type TreeGrouping } from "../answers/tree-groupings";
import { bindPart } from "../state/part-text";
import { parts } from "../state/parts";
import { selection } from "../state/selection";

/** Tab of a selected area. */
export const areaTab = signal("events");
/** Tab of a bin. */
export const binTab = signal("own");

/** By what events are summed up. */
export const chosenGroups = signal("name");
/** By what each of these groups is divided; empty: by nothing. */
export const chosenSecond = signal("");
/** By whose values, where that is an argument; empty: none is named yet. */
export const chosenArgument = signal("");

/** Trees of the call tree. */
export const chosenTrees = signal<TreeGrouping>("name");

/** The trees as a part of a question to `call_tree`. */
export function treesQuestion(): Readonly<Record<string, string>> {
  return chosenTrees.value === "name" ? {} : { by: chosenTrees.value };
}

/** The grouping as a part of a question to `stats`. */
export function groupsQuestion(): Readonly<Record<string, string>> {
  const by = chosenGroups.value;
  const then = chosenSecond.value === by ? "" : chosenSecond.value;
  return {
    by,
    ...(then === "" ? {} : { then }),
    ...(by === "argument" || then === "argument" ? { argument: chosenArgument.value } : {}),
  };
}

/** The tab of what is selected, and what it is without a word of the address; null where nothing with tabs is. */
function shownTab() {
  if (parts.value.bin !== undefined) {
    return { tab: binTab, first: "own" };
  }
  return selection.value.kind === "area" ? { tab: areaTab, first: "events" } : null;
}

const TAB = /^[a-z][a-z_-]{0,63}$/;

bindPart(
  "tab",
  () => {
    const shown = shownTab();
    return shown === null || shown.tab.value === shown.first ? null : shown.tab.value;
  },
  (text) => {
    const shown = shownTab();
    if (shown !== null) {
      shown.tab.value = text !== null && TAB.test(text) ? text : shown.first;
    }
    return text === null || (shown !== null && TAB.test(text));
  },
);

/** `process`, `process,name`, `argument:size`, `track,argument:size`. */
const GROUPS = /^([a-z_]{1,64})(?:,([a-z_]{1,64}))?(?::(.*))?$/s;

bindPart(
  "by",
  () => {
    const { by, then, argument } = groupsQuestion();
    const levels = then === undefined ? by! : `${by},${then}`;
    return shownTab() === null || levels === "name" ? null : levels + (argument === undefined ? "" : `:${argument}`);
  },
  (text) => {
    const [, first = "name", second = "", argument = ""] = GROUPS.exec(text ?? "") ?? [];
    chosenGroups.value = first;
    chosenSecond.value = second;
    chosenArgument.value = argument;
    return text === null || GROUPS.test(text);
  },
);

bindPart(
  "trees",
  () => (shownTab() !== null && chosenTrees.value !== "name" ? chosenTrees.value : null),
  (text) => {
    const wanted = GROUPINGS.find((grouping) => grouping === text);
    chosenTrees.value = wanted ?? "name";
    return text === null || wanted !== undefined;
  },
);
