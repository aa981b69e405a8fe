/** Format of points in time: since the start of the run, as ticks of the trace, or by the clock on the wall. */

import { computed, signal } from "@preact/signals";
import { formatTime, type TimeBase, type TimeFormat } from "@tilescope/client";
import type { RunState } from "./run";

/** The format that a person chose. */
export const timeFormat = signal<TimeFormat>("relative");

/** Times before this (in 2001) are not counted from the epoch but from when a machine was started. */
const EARLIEST_CLOCK_NS = 10n ** 18n;

/** True if the trace says when it was recorded. */
export function hasWallClock({ originNs }: TimeBase): boolean {
  return originNs >= EARLIEST_CLOCK_NS;
}

export function timeState({ runView }: RunState) {
  /** The format in use: a trace without a clock has no UTC. */
  const shownFormat = computed<TimeFormat>(() => {
    const view = runView.value;
    const isMissing = timeFormat.value === "utc" && view.kind === "open" && !hasWallClock(view.trace.manifest.time);
    return isMissing ? "relative" : timeFormat.value;
  });
  return { shownFormat };
}

export type TimeState = ReturnType<typeof timeState>;

const UNITS: Readonly<Record<TimeFormat, string>> = { relative: "", ticks: " ticks", utc: " UTC" };

/** A point in time as it is shown everywhere, with all its digits. */
export function timeText({ shownFormat }: TimeState, time: bigint, base: TimeBase): string {
  return formatTime(time, base, shownFormat.value) + UNITS[shownFormat.value];
}
