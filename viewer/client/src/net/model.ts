/** Answers of the API with values derived from them: the types are those of the server's own schema. */

import * as schema from "../base/schema";
import { type Ticks, type TimeBase, ticks } from "../base/time";
import type { TickRange } from "../base/view";

/** Content of a run. Everything else is asked of the build that is named here. */
export interface Manifest extends Omit<schema.Manifest, "overview"> {
  /** Length and origin of ticks. */
  readonly time: TimeBase;
  /** From the first tick to the last of any event. */
  readonly range: TickRange;
  /** Null in builds without one. */
  readonly overview: schema.OverviewGrid | null;
}

type Replaced = "busyTicks" | "firstTicks" | "lastTicks" | "frames" | "lanes" | "min" | "max";

/** One track. Tracks stand by id: first all but rollups in screen order, then the rollups. */
export interface Track extends Omit<schema.Track, Replaced> {
  /** Summed duration; 0 for counters. */
  readonly busyTicks: Ticks;
  /** Rollup tracks: the number of rows of all child tracks together; 1 for the others. */
  readonly lanes: number;
  /** Rollup tracks: the ids of the tracks that it sums; empty for the others. */
  readonly children: readonly number[];
  /** Rollup tracks: those of them that name nothing in it, steps and modules of devices. */
  readonly framing?: readonly number[];
  /** Start of its first event, end of the one that ends last. Absent without events, and while it is built. */
  readonly firstTicks?: Ticks | undefined;
  readonly lastTicks?: Ticks | undefined;
  /** Counter tracks: the range of all values. */
  readonly values: { readonly min: number; readonly max: number } | null;
}

/** The track tree of a build. Groups form a tree through `parent`. */
export interface TrackTree {
  readonly groups: readonly schema.Group[];
  readonly tracks: readonly Track[];
}

/** Name and category of an event. */
export interface EventName {
  readonly name: string;
  readonly category: string;
}

/** Manifest of its JSON. */
export function parseManifest(json: schema.ManifestJson): Manifest {
  const manifest = schema.readManifest(json);
  const { tickPs, originNs, startTicks, endTicks, overview, outliers } = manifest;
  const range = { startTicks, endTicks };
  // A wild time before all else is no time to count from.
  const time = outliers ? { tickPs, originNs, zeroTicks: outliers.startTicks } : { tickPs, originNs };
  return { ...manifest, time, range, overview: overview ?? null };
}

/** TrackTree of its JSON. */
export function parseTrackTree(json: schema.TrackTreeJson): TrackTree {
  const { groups, tracks } = schema.readTrackTree(json);
  const summed = rollupChildren(groups, tracks);
  const frames = new Set(tracks.filter((track) => track.frames === true).map((track) => track.id));
  return {
    groups,
    tracks: tracks.map(({ busyTicks, frames: _, lanes, min, max, ...rest }) => ({
      ...rest,
      busyTicks: busyTicks ?? ticks(0),
      lanes: lanes ?? 1,
      children: summed.get(rest.id) ?? [],
      framing: (summed.get(rest.id) ?? []).filter((child) => frames.has(child)),
      values: typeof min === "number" && typeof max === "number" ? { min, max } : null,
    })),
  };
}

const SUMMED_KINDS: ReadonlySet<schema.TrackKind> = new Set(["slice", "async", "instant"]);

/** By rollup: the tracks with events of all groups below its own. Two groups may share a rollup. */
function rollupChildren(
  groups: readonly schema.Group[],
  tracks: readonly schema.Track[],
): ReadonlyMap<number, readonly number[]> {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const children = new Map<number, Set<number>>();
  for (const track of tracks) {
    if (!SUMMED_KINDS.has(track.kind) || track.events === 0n) {
      continue;
    }
    for (let group = byId.get(track.group); group !== undefined; group = byId.get(group.parent ?? -1)) {
      if (group.rollup === null) {
        continue;
      }
      const members = children.get(group.rollup);
      if (members === undefined) {
        children.set(group.rollup, new Set([track.id]));
      } else {
        members.add(track.id);
      }
    }
  }
  return new Map([...children].map(([rollup, ids]) => [rollup, [...ids]]));
}
