/** Tab of a span that is shown: kept from one selection to the next. */

import { signal } from "@preact/signals";
import type { TreeGrouping } from "../answers/tree-groupings";

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
    ...{ by },
    ...(then === "" ? {} : { then }),
    ...(by === "argument" || then === "argument" ? { argument: chosenArgument.value } : {}),
  };
}
