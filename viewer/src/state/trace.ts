/** An opened run: everything about it that does not change while it is open. */

import type { BuildApi, Group, Manifest, Overview, Track, TrackRequest, TrackTree } from "@tilescope/client";
import type { RootTileFacts } from "./root-tile-facts";
import { buildTree, type TreeNode } from "./tree";

export interface Trace {
  readonly manifest: Manifest;
  readonly api: BuildApi;
  readonly roots: readonly TreeNode[];
  readonly tracks: ReadonlyMap<number, Track>;
  readonly groups: ReadonlyMap<number, Group>;
  /** Stand-in for tracks that are not built yet; null in builds that are finished. */
  readonly overview: Overview | null;
}

export function makeTrace(
  manifest: Manifest,
  api: BuildApi,
  answer: TrackTree,
  overview: Overview | null = null,
): Trace {
  return {
    manifest,
    api,
    overview,
    roots: buildTree(answer),
    tracks: new Map(answer.tracks.map((track) => [track.id, track])),
    groups: new Map(answer.groups.map((group) => [group.id, group])),
  };
}

/** The same trace with facts that root tiles have added to its tracks. */
export function withRootTileFacts(trace: Trace, facts: ReadonlyMap<number, RootTileFacts>): Trace {
  const tracks = [...trace.tracks.values()].map((track) => ({ ...track, ...facts.get(track.id) }));
  const groups = [...trace.groups.values()];
  return makeTrace(trace.manifest, trace.api, { groups, tracks }, trace.overview);
}

/** The rollups that no other rollup sums, with events: together they hold every slice and instant once. */
export function topRollups(trace: Trace): readonly Track[] {
  const members: Track[] = [];
  const visit = (node: TreeNode): void => {
    if (node.kind !== "group") {
      return;
    }
    if (node.rollup === null) {
      node.children.forEach(visit);
    } else if (node.rollup.events > 0n) {
      members.push(node.rollup);
    }
  };
  trace.roots.forEach(visit);
  return members;
}

/** All tracks with events of their own: rollups sum those of others. */
export function allTracks({ tracks }: Pick<Trace, "tracks">): ReadonlySet<number> {
  return new Set([...tracks.values()].filter(({ kind }) => kind !== "rollup").map(({ id }) => id));
}

/** Request for a track. */
export function requestOf({ id, kind, children, framing }: Track): TrackRequest {
  return kind === "rollup" ? { track: id, kind, children, framing: framing ?? [] } : { track: id, kind };
}

/** Path of a track: its groups' names from the outside in, and its own. */
export function trackPath(trace: Trace, track: number): readonly string[] {
  const own = trace.tracks.get(track);
  if (own === undefined) {
    return [];
  }
  const path = own.kind === "rollup" ? [] : [own.name];
  for (let group = trace.groups.get(own.group); group !== undefined; ) {
    path.unshift(group.name);
    group = group.parent === null ? undefined : trace.groups.get(group.parent);
  }
  return path;
}
