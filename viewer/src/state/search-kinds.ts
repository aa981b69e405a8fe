/** Places other than names that have the words of a search: arguments, tracks, processes. Only the server counts them. */

import { signal } from "@preact/signals";
import type { ToolAnswer } from "@tilescope/client";
import { valuesOf, wholeOf } from "./answer-values";
import { questionKey } from "./question-key";
import { Requester, type RequestState } from "./request-state";
import type { Trace } from "./trace";

export interface SearchKind {
  readonly kind: "argument" | "track" | "process";
  /** Name of the argument. */
  readonly argument: string;
  /** Number of tracks or processes. */
  readonly items: bigint;
  readonly events: bigint;
  /** The query that finds these events. */
  readonly query: string;
}

export const searchKinds = signal<RequestState<readonly SearchKind[]>>({ kind: "none" });

/** Arguments are looked through when typing has paused for longer than names need. */
const REST_MS = 150;
const KEPT = 50;

const requester = new Requester<readonly SearchKind[]>(KEPT, searchKinds);

export function askKinds(trace: Trace, query: string): void {
  if (query === "") {
    requester.clear();
    return;
  }
  const question = { query, limit: 0, totals: "false", kinds: "true" };
  const key = questionKey(trace.manifest, "search", question);
  const ask = async (abort: AbortSignal) => kindsOf(await trace.api.ask("search", question, abort));
  void requester.want(key, ask, REST_MS);
}

export function kindsOf(answer: ToolAnswer): readonly SearchKind[] {
  const column = (id: string) => valuesOf(answer, "kinds", id);
  const [argument, items, events, query] = [column("argument"), column("items"), column("events"), column("query")];
  return column("kind").map((kind, k) => ({
    kind: kind as SearchKind["kind"],
    argument: String(argument[k]),
    items: wholeOf(items[k]!),
    events: wholeOf(events[k]!),
    query: String(query[k]),
  }));
}
