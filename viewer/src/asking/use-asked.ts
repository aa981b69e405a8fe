/** Asks something when a part of the page is shown, and again when the question is another one or what failed may be had now. */

import type { ToolAnswer, ToolQuestion } from "@tilescope/client";
import { useEffect, useRef } from "preact/hooks";
import { Asker, type Asking } from "../state/asking";
import { retries } from "../state/link";
import { questionKey } from "../state/question-key";
import type { Trace } from "../state/trace";

/** Long enough that an edge that is dragged asks nothing on its way, too short to be waited for. */
const REST_MS = 120;

export interface Asked<T> {
  readonly asking: Asking<T>;
  cancel(): void;
  again(): void;
}

/**
 * The answer to what `ask` asks. `key` is all that it depends on: what another key was answered is stale from the moment that this
 * one is rendered. `isMoving`: a person is still changing the question, which is asked when it has stood still for a moment.
 */
export function useAsked<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, isMoving = false): Asked<T> {
  const held = useRef<Asker<T> | null>(null);
  held.current ??= new Asker<T>();
  const asker = held.current;
  useEffect(() => void asker.want(key, ask, isMoving ? REST_MS : 0), [asker, key, isMoving]);
  const asking = asker.about(key);
  const times = retries.value;
  useEffect(() => {
    if (times > 0) {
      void asker.retry();
    }
  }, [asker, times]);
  useEffect(() => () => asker.clear(), [asker]);
  return { asking, cancel: () => asker.cancel(), again: () => void asker.again() };
}

/** What a tool answers about a trace. */
export function useTool(trace: Trace, tool: string, question: ToolQuestion, isMoving = false): Asked<ToolAnswer> {
  const key = questionKey(trace.manifest, tool, question);
  return useAsked(key, (signal) => trace.api.ask(tool, question, signal), isMoving);
}
