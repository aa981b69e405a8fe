/** Which part of what is known of a span is shown: kept from one selection to the next. */

import { signal } from "@preact/signals";

/** Of a selected area. */
export const areaTab = signal("events");
/** Of a bin. */
export const binTab = signal("own");

/** By what events are summed up. */
export const chosenGroups = signal("name");
