/** Tracks of a run by the shifts of their clocks: times of questions and answers are those that were recorded. Pure. */

import type { Shifts, Track } from "@tilescope/client";
import { rangesTexts } from "./ranges-text";

export interface ClockGroup {
  /** Ticks by which its tracks are drawn later. */
  readonly laterTicks: bigint;
  /** Its tracks as a question names them; undefined: all of the run. */
  readonly tracks: string | undefined;
}

/** Groups of one shift each, at least one: more of a shift whose tracks are too many ranges for one question. */
export function clockGroups(
  shifts: Shifts | null,
  tracks: Iterable<Pick<Track, "id" | "kind">>,
): readonly ClockGroup[] {
  const byShift = new Map<bigint, number[]>();
  for (const { id } of shifts === null ? [] : [...tracks].filter(({ kind }) => kind !== "rollup")) {
    const laterTicks = shifts?.later(id) ?? 0n;
    const own = byShift.get(laterTicks);
    own === undefined ? byShift.set(laterTicks, [id]) : own.push(id);
  }
  const [[laterTicks] = [0n]] = byShift;
  return byShift.size < 2
    ? [{ laterTicks, tracks: undefined }]
    : [...byShift].flatMap(([later, own]) => rangesTexts(own).map((text) => ({ laterTicks: later, tracks: text })));
}
