/** Which part of what is known of a span is shown: kept from one selection to the next. */

import { signal } from "@preact/signals";

/** Of a selected area. */
export const areaTab = signal("events");
/** Of a bin. */
export const binTab = signal("own");

/** By what events are summed up. */
export const chosenGroups = signal("name");
/** By whose values, where that is an argument; empty: none is named yet. */
export const chosenArgument = signal("");

/** What of a question to `stats` says so. */
export function groupsQuestion(): Readonly<Record<string, string>> {
  const by = chosenGroups.value;
  return by === "argument" ? { by, argument: chosenArgument.value } : { by };
}
