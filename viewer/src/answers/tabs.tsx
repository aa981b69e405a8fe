/** One of several parts at a time, with tabs above: arrow keys walk, as the ARIA practices have it. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

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

export function Tabs({ label, tabs, wanted = null, children }: Props) {
  const chosen = useSignal<string | null>(null);
  // Another answer begins with something else: that is what was asked for, unless a row of another table is.
  const leading = tabs[0]?.id;
  useEffect(() => {
    chosen.value = null;
  }, [leading]);
  useEffect(() => {
    if (wanted !== null) {
      chosen.value = wanted.id;
    }
  }, [wanted]);
  const current = tabs.find((tab) => tab.id === chosen.value) ?? tabs[0];
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
  const choose = (id: string) => {
    chosen.value = id;
  };
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
