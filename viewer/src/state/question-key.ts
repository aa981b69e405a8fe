/** Questions as texts, equal where the same is asked: all that an answer depends on. Pure. */

import { type Manifest, questionQuery, type ToolQuestion } from "@tilescope/client";

/** A build, as far as it has grown. */
export function buildKey({
  run,
  build,
  state,
  revision,
}: Pick<Manifest, "run" | "build" | "state" | "revision">): string {
  return `${run} ${build} ${state} ${revision}`;
}

/** A question to a tool as it goes out, and the build that is asked. */
export function questionKey(manifest: Parameters<typeof buildKey>[0], tool: string, question: ToolQuestion): string {
  return `${buildKey(manifest)} ${tool}?${questionQuery(question)}`;
}
