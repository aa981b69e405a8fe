/** Shifts of clocks as a pane draws them: those of the run, and those that the address tries. */

import { signal } from "@preact/signals";
import type { Shifts } from "@tilescope/client";

export function shiftState() {
  /** Null: all tracks stand as they were recorded. */
  return { shifts: signal<Shifts | null>(null) };
}
