/** Runs that may be the one that a link from another server names: a run's id there is its name, and a digest of where it lies. */

import type { Run } from "@tilescope/client";

const DIGEST = /-[0-9a-f]{8}$/;
const SUFFIX = /\.(store|run|tsarc)$/;

/** Runs of a list with the name that an id has, be they stores, shards or archives. */
export function sameNamed(list: readonly Run[], id: string): readonly Run[] {
  const nameOf = (text: string) => text.replace(DIGEST, "").replace(SUFFIX, "");
  return list.filter((run) => run.id !== id && nameOf(run.id) === nameOf(id));
}
