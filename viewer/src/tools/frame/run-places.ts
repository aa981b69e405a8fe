/** The hosts of a run with their processes, as questions name them: by the track that sums what is in each. Pure. */

import { hostNoun } from "../../state/host-noun";
import type { Trace } from "../../state/trace";

export interface RunPlace {
  readonly name: string;
  /** A question's `tracks`. */
  readonly tracks: string;
  /** Below a host, which stands before it. */
  readonly isInHost: boolean;
}

/** A heading for them, as in "Ranks and devices". */
export function placesTitle(places: readonly RunPlace[]): string {
  const hosts = places.filter(({ isInHost }) => !isInHost).map(({ name }) => name);
  return `${hostNoun(hosts).titleOfMany} and devices`;
}

/** Hosts, each with its processes; those without events are left out, and a host that is alone is none. */
export function placesOf({ groups }: Pick<Trace, "groups">): readonly RunPlace[] {
  const all = [...groups.values()].filter(({ rollup }) => rollup !== null);
  const hosts = all.filter(({ kind }) => kind === "host");
  const processes = all.filter(({ kind }) => kind === "process");
  const place = (group: (typeof all)[number], isInHost: boolean): RunPlace => ({
    name: group.name,
    tracks: String(group.rollup),
    isInHost,
  });
  if (hosts.length < 2) {
    return processes.map((group) => place(group, false));
  }
  return hosts.flatMap((host) => [
    place(host, false),
    ...processes.filter(({ parent }) => parent === host.id).map((group) => place(group, true)),
  ]);
}
