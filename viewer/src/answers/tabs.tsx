/** One of several parts at a time, with tabs above: arrow keys walk, as the ARIA practices have it. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface Tab {
  readonly id: string;
  readonly title: string;
  readonly count: string;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** A part, which puts the tabs into its head. */
  readonly children: (id: string, head: ComponentChildren) => ComponentChildren;
}

export function Tabs({ label, tabs, children }: Props) {
  const chosen = useSignal<string | null>(null);
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
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length]!;
    chosen.value = next.id;
    // The tabs are drawn anew with the part that they show.
    requestAnimationFrame(() => document.getElementById(`tab-${label}-${next.id}`)?.focus());
  };
  const list = (
    <div class="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={`tab-${label}-${tab.id}`}
          type="button"
          role="tab"
          class="tab"
          aria-selected={tab === current}
          tabIndex={tab === current ? 0 : -1}
          onClick={() => {
            chosen.value = tab.id;
          }}
        >
          {tab.title}
          <span class="tab-count">{tab.count}</span>
        </button>
      ))}
    </div>
  );
  return <div class="tab-panel">{children(current.id, list)}</div>;
}
