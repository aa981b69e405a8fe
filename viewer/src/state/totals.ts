/** Number of events that a run shows, next to the number in its files: two counts that differ, and why. */

import type { Track } from "@tilescope/client";
import type { Trace } from "./trace";

export interface Totals {
  /** On all tracks but rollups, which count them a second time. */
  readonly events: bigint;
  readonly tracks: number;
  /** Counts of the files, kind by kind, as `name: count`; without kinds that have none. */
  readonly inFiles: readonly (readonly [name: string, count: bigint])[];
}

const cache = new WeakMap<Pick<Trace, "tracks">, Totals>();

/** Counted once for a trace: the status bar asks in every frame. */
export function totalsOf(trace: Pick<Trace, "tracks" | "manifest">): Totals {
  const totals = cache.get(trace) ?? count(trace);
  cache.set(trace, totals);
  return totals;
}

function count({ tracks, manifest }: Pick<Trace, "tracks" | "manifest">): Totals {
  const shown = [...tracks.values()].filter(({ kind }: Track) => kind !== "rollup");
  const { slices, asyncSlices, instants, counterSamples, flowEnds, other } = manifest.events;
  const kinds = [
    ["slices", slices],
    ["async slices", asyncSlices],
    ["instants", instants],
    ["counter events", counterSamples],
    ["ends of flows, drawn as arrows", flowEnds],
    ["others, not drawn", other],
  ] as const;
  return {
    events: shown.reduce((sum, track) => sum + track.events, 0n),
    tracks: shown.length,
    inFiles: kinds.filter(([, events]) => events > 0n),
  };
}
