/** Kinds of places that have the words of a search, each with its events; one click searches for these. */

import { useEffect } from "preact/hooks";
import { retries } from "../state/link";
import type { Pane } from "../state/pane";
import { query, typedQuery } from "../state/query";
import { searchState } from "../state/search";
import { askKinds, type CountedKinds, countedKinds, type SearchKind } from "../state/search-kinds";
import type { Trace } from "../state/trace";
import { useApp } from "./app-context";
import { formatCount, plural } from "./format";

export function SearchKinds({ trace, onChosen }: { trace: Trace; onChosen: () => void }) {
  const { pane } = useApp();
  const text = query.value;
  useEffect(() => askKinds(pane, trace, text), [trace, text, retries.value]);
  // A list that is closed counts nothing.
  useEffect(() => () => askKinds(pane, trace, ""), []);
  const { kinds, isCounting, failure } = kindsOfTyped(pane, trace);
  if (searchState(pane).searchResult.value.kind === "failed") {
    return null; // what is wrong with the query is said above
  }
  return (
    <>
      {kinds.length > 0 && <KindsTable kinds={kinds} onChosen={onChosen} />}
      {isCounting && (
        <p class="search-line" data-kinds="waiting">
          Still counting in arguments, tracks and processes …
        </p>
      )}
      {failure !== null && (
        <p class="search-line is-bad" role="alert">
          Not counted in arguments, tracks and processes: {failure}
        </p>
      )}
    </>
  );
}

function KindsTable({ kinds, onChosen }: { kinds: readonly SearchKind[]; onChosen: () => void }) {
  const app = useApp();
  return (
    <div class="search-names" data-kinds="found">
      <table aria-label="Found elsewhere">
        <thead>
          <tr>
            <th scope="col">Also in</th>
            <th scope="col">Events</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr key={`${kind.kind}\n${kind.argument}`}>
              <td>
                <button
                  type="button"
                  class="search-name"
                  disabled={kind.query === ""}
                  title={kind.query === "" ? "The search cannot name this argument" : `Search for ${kind.query}`}
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

/** Counts for the text in the box: while one types, none of the query before. */
export function kindsOfTyped(pane: Pane, trace: Trace): CountedKinds {
  return countedKinds(pane, trace, typedQuery.value.trim());
}

function placeOf({ kind, argument, items }: SearchKind): string {
  switch (kind) {
    case "argument":
      return argument === "" ? "[no name]" : argument;
    case "track":
      return plural(items, "track");
    case "process":
      return plural(items, "process");
  }
}
