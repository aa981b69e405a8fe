/** Groups around tracks. */

import type { ArchivedRun } from "./archived-run";

const RANK = /^rank \d+(?: [\s\S]*)?$/;

/** A group of the track tree. */
export interface GroupPart {
  readonly id: number;
  readonly parent?: number | null;
  readonly kind: string;
  readonly name: string;
  readonly rollup?: number | null;
}

/** The groups around one, itself first. */
function* line(parts: ReadonlyMap<number, GroupPart>, group: number): Generator<GroupPart> {
  for (let part = parts.get(group); part !== undefined; part = parts.get(part.parent ?? -1)) {
    yield part;
  }
}

/** The innermost group of a kind around one, itself included. */
export function around(parts: ReadonlyMap<number, GroupPart>, group: number, kind: string): GroupPart | undefined {
  return [...line(parts, group)].find((part) => part.kind === kind);
}

/** Groups and tracks by id, and what the run calls its hosts. */
export async function partsOf(run: ArchivedRun) {
  const { groups, tracks } = await run.trackTree();
  const hosts = groups.filter(({ kind }) => kind === "host");
  const hostTitle = hosts.length > 0 && hosts.every(({ name }) => RANK.test(name)) ? "Rank" : "Host";
  return {
    parts: new Map(groups.map((group): [number, GroupPart] => [group.id, group])),
    tracks: new Map(tracks.map((track) => [track.id, track])),
    hostTitle,
  };
}
