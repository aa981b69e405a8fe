/** Tab of a span that is shown: kept from one selection to the next. */

import { signal } from "@preact/signals";

/** Tab of a selected area. */
export const areaTab = signal("events");
/** Tab of a bin. */
export const binTab = signal("own");

/** By what events are summed up. */
export const chosenGroups = signal("name");
/** By whose values, where that is an argument; empty: none is named yet. */
export const chosenArgument = signal("");

/** The grouping as a part of a question to `stats`. */
export function groupsQuestion(): Readonly<Record<string, string>> {
  const by = chosenGroups.value;
  return by === "argument" ? { by, argument: chosenArgument.value } : { by };
}
