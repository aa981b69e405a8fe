/** What of the screen could not be had, in the words of the status line: said until it is there, or nobody looks at it any more. */

import { signal } from "@preact/signals";

/** What draws a part of the screen. */
export type ProblemSource = "tiles" | "hits" | "highlight";

export const problems = signal<ReadonlyMap<ProblemSource, string>>(new Map());

/** `text` null: there is no problem, or none any more. */
export function setProblem(source: ProblemSource, text: string | null): void {
  const before = problems.peek();
  if ((before.get(source) ?? null) === text) {
    return;
  }
  const others = [...before].filter(([other]) => other !== source);
  problems.value = new Map(text === null ? others : [...others, [source, text]]);
}
