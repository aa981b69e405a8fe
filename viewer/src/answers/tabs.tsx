/** One of several parts at a time, with tabs above: arrow keys walk, as the ARIA practices have it. */

import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { entryText, escapeField, unescapeField } from "../base/list-text";
import { setPart } from "../state/part-text";
import { pageParts } from "../state/parts";

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly count: string;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** A part to be shown; another object asks anew. */
  readonly wanted?: { readonly id: string } | null;
  /** A part, which puts the tabs into its head. */
  readonly children: (id: string, head: ComponentChildren) => ComponentChildren;
}

/** Ids of the parts that are shown, by label of their tabs, where these are not the first: they stand in the address. */
const chosenIds = computed(
  () =>
    new Map(
      (pageParts.value.tabs ?? "").split(";").map((entry) => entry.split(",").map(unescapeField) as [string, string]),
    ),
);

/** A null id shows the first. */
function chooseTab(label: string, id: string | null): void {
  const others = [...chosenIds.peek()].filter(([other]) => other !== label && other !== "");
  const entries = id === null ? others : [...others, [label, id]];
  setPart(pageParts, "tabs", entries.map((entry) => entryText(entry.map(escapeField))).join(";"));
}

export function Tabs({ label, tabs, wanted = null, children }: Props) {
  // Another answer begins with something else: that is what was asked for, unless a row of another table is.
  const leading = tabs[0]?.id;
  const ledBy = useRef(leading);
  useEffect(() => {
    if (ledBy.current !== leading) {
      ledBy.current = leading;
      chooseTab(label, null);
    }
  }, [leading]);
  useEffect(() => {
    if (wanted !== null) {
      chooseTab(label, wanted.id);
    }
  }, [wanted]);
  const chosen = chosenIds.value.get(label);
  const current = tabs.find((tab) => tab.id === chosen) ?? tabs[0];
  if (current === undefined) {
    return null;
  }
  if (tabs.length === 1) {
    return (
      <div class="tab-panel">
        {children(
          current.id,
          <h2 class="tab-title">
            {current.title}
            <span class="tab-count">{current.count}</span>
          </h2>,
        )}
      </div>
    );
  }
  const choose = (id: string) => chooseTab(label, id === leading ? null : id);
  const list = <TabList label={label} tabs={tabs} current={current.id} onChoose={choose} />;
  return <div class="tab-panel">{children(current.id, list)}</div>;
}

interface ListProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly onChoose: (id: string) => void;
}

/** The tabs by themselves, for whoever puts them elsewhere than above their part. */
export function TabList({ label, tabs, current, onChoose }: ListProps) {
  const index = tabs.findIndex(({ id }) => id === current);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(index + step + tabs.length) % tabs.length]!;
    onChoose(next.id);
    // The tabs are drawn anew with the part that they show.
    requestAnimationFrame(() => document.getElementById(`tab-${label}-${next.id}`)?.focus());
  };
  return (
    <div class="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={`tab-${label}-${tab.id}`}
          type="button"
          role="tab"
          class="tab"
          aria-selected={tab.id === current}
          tabIndex={tab.id === current ? 0 : -1}
          onClick={() => onChoose(tab.id)}
        >
          {tab.title}
          <span class="tab-count">{tab.count}</span>
        </button>
      ))}
    </div>
  );
}
