/**
 * Parts of the screen that are missing or on their way, in the words of the status line: shown until they are there, or nobody looks at
 * them any more.
 */

import { signal } from "@preact/signals";

/** Part of the screen, by what draws it. */
export type ScreenPart = "tiles" | "hits" | "highlight";

export function problemState() {
  const problems = signal<ReadonlyMap<ScreenPart, string>>(new Map());
  /** The parts of the screen, tiles apart, that are still on their way. */
  const pending = signal<ReadonlySet<ScreenPart>>(new Set());
  return { problems, pending };
}

type ProblemState = ReturnType<typeof problemState>;

/** `text` null: there is no problem, or none any more. */
export function setProblem({ problems }: ProblemState, part: ScreenPart, text: string | null): void {
  const before = problems.peek();
  if ((before.get(part) ?? null) === text) {
    return;
  }
  const others = [...before].filter(([other]) => other !== part);
  problems.value = new Map(text === null ? others : [...others, [part, text]]);
}

export function setPending({ pending }: ProblemState, part: ScreenPart, isPending: boolean): void {
  const before = pending.peek();
  if (before.has(part) !== isPending) {
    const others = [...before].filter((other) => other !== part);
    pending.value = new Set(isPending ? [...others, part] : others);
  }
}
