/** Result of a search in the whole run: how many events, how long, by which names. Only the server computes it. */

import { signal } from "@preact/signals";
import type { ToolAnswer } from "@tilescope/client";
import { factOf, isGrowing, valuesOf, wholeOf } from "./answer-values";
import type { Pane } from "./pane";
import { perPane } from "./per-pane";
import { buildKey } from "./question-key";
import { Requester, type RequestState } from "./request-state";
import type { Trace } from "./trace";
import { typedPlace } from "./typed-place";

export interface FoundName {
  readonly name: string;
  readonly category: string;
  readonly count: bigint;
  readonly busyTicks: bigint;
}

export interface Found {
  readonly count: bigint;
  readonly busyTicks: bigint;
  /** The busiest ones. */
  readonly names: readonly FoundName[];
  /** Sums over the names that are not listed; null where all are. */
  readonly rest: { readonly count: bigint; readonly busyTicks: bigint } | null;
  /** False while the run is being indexed, and tracks are not done. */
  readonly isComplete: boolean;
}

export const NAMES_LISTED = 100;

/** So many searches are at hand again at once. */
const KEPT = 100;

export const searchState = perPane(() => {
  const searchResult = signal<RequestState<Found>>({ kind: "none" });
  /** The selected hit: its number from 1 on, null while or where that is not known. */
  const currentHit = signal<{
    readonly track: number;
    readonly ordinal: number;
    readonly index: number | null;
  } | null>(null);
  /** Note on the last step from hit to hit: that it went on at the other end, or failed. */
  const walkNote = signal("");
  /** The query whose hits are looked for: the one of the page, once the code of the search is there. */
  const markedQuery = signal("");
  return { searchResult, currentHit, walkNote, markedQuery };
});

/** True if a query is a typed place, and no event is found by its words: then it is no search. Reads signals. */
export function isPlaceAlone(pane: Pane, trace: Trace, query: string): boolean {
  const state = searchState(pane).searchResult.value;
  const isFound = state.kind === "answered" && state.answer.count > 0n;
  return !isFound && typedPlace(query, trace.manifest.time) !== null;
}

/** Names a search in a build as far as it has grown. */
export function searchKey({ manifest }: Trace, query: string): string {
  return `${buildKey(manifest)} ${query}`;
}

export class SearchLoader {
  readonly #requester: Requester<Found>;

  constructor(pane: Pane) {
    this.#requester = new Requester(KEPT, searchState(pane).searchResult);
  }

  /** Asks once more where that is known already: a run that grows has more hits each time. */
  ask(trace: Trace, query: string, isAgain = false): void {
    if (isAgain) {
      this.#requester.forget();
    }
    void this.#requester.want(searchKey(trace, query), async (signal) => {
      const answer = await trace.api.ask("search", { query, limit: 0, names: NAMES_LISTED }, signal);
      return foundOf(answer);
    });
  }

  clear(): void {
    this.#requester.clear();
  }
}

export function foundOf(answer: ToolAnswer): Found {
  const column = (id: string) => valuesOf(answer, "names", id);
  const [count, busy, category] = [column("count"), column("busy"), column("category")];
  const rest = answer.tables.find(({ id }) => id === "names")?.rest ?? null;
  return {
    count: factOf(answer, "count"),
    busyTicks: factOf(answer, "busy"),
    names: column("name").map((name, k) => ({
      ...{ name: String(name), category: String(category[k]) },
      count: wholeOf(count[k]!),
      busyTicks: wholeOf(busy[k]!),
    })),
    rest: rest === null ? null : { count: wholeOf(rest.count ?? 0), busyTicks: wholeOf(rest.busy ?? 0) },
    isComplete: !isGrowing(answer),
  };
}

/** Position of a query's fault, from 0 on; null where the message does not say. */
export function faultAt(message: string): number | null {
  const position = /^query, character (\d{1,4}):/.exec(message)?.[1];
  return position === undefined ? null : Number(position) - 1;
}
