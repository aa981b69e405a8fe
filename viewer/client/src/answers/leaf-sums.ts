/** Slices of a leaf, added to sums: those that start in a span, and the ticks of all in it. */

import { sliceDuration, sliceStart, type TileData } from "../pages/tile";
import type { NameSums } from "./name-sums";

const REACHES_IN = 1;

interface RunningSlice {
  readonly group: number;
  readonly stop: bigint;
}

/**
 * Adds the part of a leaf that lies in `[start, stop)`. Each tick that slices run in is the own time of the one that started last.
 * `groupOf`: the number that a slice is summed up under, null for one that is as if it were not there.
 */
export function addLeaf(
  sums: NameSums,
  tile: TileData,
  start: bigint,
  stop: bigint,
  groupOf: (name: number, ordinal: number) => number | null,
): void {
  const { slices } = tile;
  const running: RunningSlice[] = [];
  let now = start;
  const runUntil = (tick: bigint): void => {
    for (let last = running.at(-1); last !== undefined && now < tick; last = running.at(-1)) {
      const end = last.stop < tick ? last.stop : tick;
      if (end > now) {
        sums.row(last.group).self += end - now;
        now = end;
      }
      if (last.stop <= now) {
        running.pop();
      }
    }
    now = tick > now ? tick : now;
  };
  for (let k = 0; k < slices.length; k++) {
    const begin = sliceStart(tile, k);
    const duration = sliceDuration(tile, k);
    const group = groupOf(slices.name[k]!, slices.ordinal[k]!);
    const from = begin > start ? begin : start;
    const end = begin + duration;
    const to = end < stop ? end : stop;
    const starts = begin >= start && begin < stop && (slices.flags[k]! & REACHES_IN) === 0;
    if (group === null || !(starts || to > from)) {
      continue;
    }
    const row = sums.row(group);
    if (starts) {
      row.addStart(duration);
    }
    if (to > from) {
      row.busy += to - from;
      runUntil(from);
      running.push({ group, stop: to });
    }
  }
  runUntil(stop);
}
