/** An opened run: everything about it that does not change while it is open. */

import type { BuildApi, Group, Manifest, Track, TrackTree } from "@tilescope/client";
import { buildTree, type TreeNode } from "./tree";

export interface Trace {
  readonly manifest: Manifest;
  readonly api: BuildApi;
  readonly roots: readonly TreeNode[];
  readonly tracks: ReadonlyMap<number, Track>;
  readonly groups: ReadonlyMap<number, Group>;
}

export function makeTrace(manifest: Manifest, api: BuildApi, answer: TrackTree): Trace {
  return {
    manifest,
    api,
    roots: buildTree(answer),
    tracks: new Map(answer.tracks.map((track) => [track.id, track])),
    groups: new Map(answer.groups.map((group) => [group.id, group])),
  };
}

/** Where a track is: its groups' names from the outside in, and its own. */
export function trackPath(trace: Trace, track: number): readonly string[] {
  const found = trace.tracks.get(track);
  if (found === undefined) return [];
  const path = found.kind === "rollup" ? [] : [found.name];
  for (let group = trace.groups.get(found.group); group !== undefined; ) {
    path.unshift(group.name);
    group = group.parent === null ? undefined : trace.groups.get(group.parent);
  }
  return path;
}
