/** Asks something when a part of the page is shown, and again when the question is another one or what failed may be had now. */

import type { ToolAnswer, ToolQuestion } from "@tilescope/client";
import { useEffect, useRef } from "preact/hooks";
import { retries } from "../state/link";
import { questionKey } from "../state/question-key";
import { Requester, type RequestState } from "../state/request-state";
import type { Trace } from "../state/trace";

/** Long enough that an edge that is dragged asks nothing on its way, too short to be waited for. */
const REST_MS = 120;

export interface RequestHandle<T> {
  readonly state: RequestState<T>;
  cancel(): void;
  again(): void;
}

/**
 * The answer to what `ask` asks. `key` is all that it depends on: what another key was answered is stale from the moment that this
 * one is rendered. `isMoving`: a person is still changing the question, which is asked when it has stood still for a moment. `keeps`: so
 * many answers are at hand again at once.
 */
export function useRequest<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  isMoving = false,
  keeps = 0,
): RequestHandle<T> {
  const held = useRef<Requester<T> | null>(null);
  held.current ??= new Requester<T>(keeps);
  const requester = held.current;
  useEffect(() => void requester.want(key, ask, isMoving ? REST_MS : 0), [requester, key, isMoving]);
  const state = requester.about(key);
  const times = retries.value;
  useEffect(() => {
    if (times > 0) {
      void requester.retry();
    }
  }, [requester, times]);
  useEffect(() => () => requester.clear(), [requester]);
  return { state, cancel: () => requester.cancel(), again: () => void requester.again() };
}

/** Answer of a tool about a trace. */
export function useTool(
  trace: Trace,
  tool: string,
  question: ToolQuestion,
  isMoving = false,
  keeps = 0,
): RequestHandle<ToolAnswer> {
  const key = questionKey(trace.manifest, tool, question);
  return useRequest(key, (signal) => trace.api.ask(tool, question, signal), isMoving, keeps);
}
