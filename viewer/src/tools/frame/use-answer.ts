/** Asks a tool when a page is shown, and again when the question, the range or the run has changed. */

import type { ToolAnswer, ToolQuestion } from "@tilescope/client";
import { useEffect, useRef } from "preact/hooks";
import { revivals } from "../../state/link";
import type { PageContext } from "../contract";
import { questionKey } from "../question-key";
import { Asker, type Asking } from "./asking";

export interface Asked<T> {
  readonly asking: Asking<T>;
  cancel(): void;
  again(): void;
}

/** What a tool answers about the page's range; `question` null asks nothing yet. */
export function useAnswer(context: PageContext, tool: string, question: ToolQuestion): Asked<ToolAnswer> {
  const { manifest } = context.trace;
  const key = questionKey(
    [tool, manifest.run, manifest.build, manifest.state, manifest.revision, context.rangeText],
    question,
  );
  return useAsked(key, (signal) => context.ask(tool, question, signal));
}

/** The same for whatever else is asked: `key` says when it is another question. */
export function useAsked<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Asked<T> {
  const held = useRef<Asker<T> | null>(null);
  held.current ??= new Asker<T>();
  const asker = held.current;
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    asker.ask((signal) => latest.current(signal));
  }, [asker, key]);
  const times = revivals.value;
  useEffect(() => {
    // What the server could not be asked while it was away.
    if (times > 0 && asker.state.peek().kind === "failed") {
      asker.ask((signal) => latest.current(signal));
    }
  }, [asker, times]);
  useEffect(() => () => asker.close(), [asker]);
  return {
    asking: asker.state.value,
    cancel: () => asker.cancel(),
    again: () => asker.ask((signal) => latest.current(signal)),
  };
}
