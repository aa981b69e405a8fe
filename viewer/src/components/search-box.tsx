/** The box of the search in the top bar. What it has found is drawn by code that is loaded when one begins. */

import { useRef } from "preact/hooks";
import { bindingInSearch } from "../keys/dispatch";
import { keysOf } from "../keys/table";
import { isSearchOpen, query, typedQuery } from "../state/query";
import type { Trace } from "../state/trace";
import { useApp } from "./app-context";
import { SearchIcon } from "./icons";
import { useLoaded } from "./use-loaded";

const loadPanel = async () => (await import("./search-panel")).SearchPanel;

function LatePanel({ trace }: { trace: Trace }) {
  const SearchPanel = useLoaded("search-panel", loadPanel);
  return SearchPanel.kind === "ready" ? <SearchPanel.value trace={trace} /> : null;
}

export function SearchBox({ trace }: { trace: Trace }) {
  const app = useApp();
  const wasAsked = useRef(false);
  wasAsked.current ||= query.value !== "" || isSearchOpen.value;
  return (
    // biome-ignore lint/a11y/useSemanticElements: older browsers have no element for it
    <div
      class="search-box"
      role="search"
      onFocusIn={(event) => {
        // Not from one thing in it to another: going from hit to hit closes the list.
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) {
          isSearchOpen.value = true;
        }
      }}
      onFocusOut={(event) => {
        isSearchOpen.value &&= event.currentTarget.contains(event.relatedTarget as Node | null);
      }}
    >
      <SearchIcon />
      <input
        type="text"
        aria-label="Search events"
        placeholder={`Search events (${keysOf("search").split(" ")[0]})`}
        title={`Search the events of the run (${keysOf("search").replace(" ", ", ")})`}
        autocomplete="off"
        spellcheck={false}
        value={typedQuery.value}
        onClick={() => {
          isSearchOpen.value = true;
        }}
        onInput={(event) => {
          typedQuery.value = event.currentTarget.value;
          isSearchOpen.value = true;
        }}
        onKeyDown={(event) => {
          const binding = event.isComposing ? undefined : bindingInSearch(event);
          if (binding !== undefined) {
            event.preventDefault();
            app.act(binding.intent);
          }
        }}
      />
      {wasAsked.current && <LatePanel trace={trace} />}
    </div>
  );
}
