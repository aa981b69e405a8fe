/** Places other than names that have the words of a search: arguments, tracks, processes. Only the server counts them. */

import { signal } from "@preact/signals";
import type { ToolAnswer } from "@tilescope/client";
import { valuesOf, wholeOf } from "./answer-values";
import type { Pane } from "./pane";
import { perPane } from "./per-pane";
import { questionKey } from "./question-key";
import { lastOf, Requester, type RequestState } from "./request-state";
import type { Trace } from "./trace";

export interface SearchKind {
  readonly kind: "argument" | "track" | "process";
  /** Name of the argument. */
  readonly argument: string;
  /** Number of tracks or processes. */
  readonly items: bigint;
  readonly events: bigint;
  /** The query that finds these events; empty: none can, as the name of the argument is empty or too long. */
  readonly query: string;
}

interface FoundKinds {
  /** The query whose words are counted. */
  readonly query: string;
  readonly kinds: readonly SearchKind[];
}

/** Counts for a query, and for no other. */
export interface CountedKinds {
  readonly kinds: readonly SearchKind[];
  /** True while an answer is on its way: counts, if there are any, are those of a run that has grown since. */
  readonly isCounting: boolean;
  readonly failure: string | null;
}

/** Arguments are looked through when typing has paused for longer than names need. */
const REST_MS = 150;
const KEPT = 50;

export const kindsState = perPane(() => {
  const searchKinds = signal<RequestState<FoundKinds>>({ kind: "none" });
  return { searchKinds, requester: new Requester<FoundKinds>(KEPT, searchKinds) };
});

/** Asks, or ends asking for an empty query. What failed and may pass is asked once more. */
export function askKinds(pane: Pane, trace: Trace, query: string): void {
  if (query === "") {
    kindsState(pane).requester.clear();
    return;
  }
  const ask = async (abort: AbortSignal) => {
    const kinds = kindsOf(await trace.api.ask("search", questionOf(query), abort));
    return { query, kinds };
  };
  void kindsState(pane).requester.want(keyOf(trace, query), ask, REST_MS);
}

export function countedKinds(pane: Pane, trace: Trace, query: string): CountedKinds {
  const state = kindsState(pane).searchKinds.value;
  const last = lastOf(state)?.answer;
  const isAbout = state.kind !== "none" && state.key === keyOf(trace, query);
  return {
    kinds: last?.query === query ? last.kinds : [],
    isCounting: !isAbout || state.kind === "waiting",
    failure: isAbout && state.kind === "failed" ? state.failure.message : null,
  };
}

function questionOf(query: string) {
  return { query, limit: 0, totals: "false", kinds: "true" };
}

function keyOf({ manifest }: Trace, query: string): string {
  return questionKey(manifest, "search", questionOf(query));
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
