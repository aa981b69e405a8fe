/** Kinds of places that have the words of a search, each with its events; one click searches for these. */

import { useEffect } from "preact/hooks";
import { query } from "../state/query";
import { lastOf } from "../state/request-state";
import { askKinds, type SearchKind, searchKinds } from "../state/search-kinds";
import type { Trace } from "../state/trace";
import { useApp } from "./app-context";
import { formatCount, plural } from "./format";

export function SearchKinds({ trace, onChosen }: { trace: Trace; onChosen: () => void }) {
  const app = useApp();
  const text = query.value;
  useEffect(() => askKinds(trace, text), [trace, text]);
  const state = searchKinds.value;
  if (state.kind === "failed") {
    // What is wrong with the query is said above; what is not there yet passes.
    return null;
  }
  const isOlder = state.kind === "waiting";
  const kinds = lastOf(state)?.answer ?? [];
  if (kinds.length === 0) {
    return isOlder && state.patience !== "quiet" ? (
      <p class="search-line" data-kinds="waiting">
        Looking through arguments …
      </p>
    ) : null;
  }
  return (
    <div class={isOlder ? "search-names is-former" : "search-names"} data-kinds={isOlder ? "stale" : "found"}>
      <table aria-label="Found elsewhere">
        <thead>
          <tr>
            <th scope="col">Also in</th>
            <th scope="col">Events</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind.query}>
              <td>
                <button
                  type="button"
                  class="search-name"
                  title={`Search for ${kind.query}`}
                  onClick={() => {
                    app.search(kind.query);
                    onChosen();
                  }}
                >
                  <span>{placeOf(kind)}</span>
                  <small>{kind.kind === "argument" ? "argument" : "name"}</small>
                </button>
              </td>
              <td>{formatCount(kind.events)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** True if the words of the search are in other places than names. */
export function hasKinds(): boolean {
  return query.value !== "" && (lastOf(searchKinds.value)?.answer.length ?? 0) > 0;
}

function placeOf({ kind, argument, items }: SearchKind): string {
  switch (kind) {
    case "argument":
      return argument;
    case "track":
      return plural(items, "track");
    case "process":
      return plural(items, "process");
  }
}
