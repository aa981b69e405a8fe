/** The content of the Tools menu: pages by the question that they answer; raw data and what has no answer are folded. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useApp } from "../components/app-context";
import { CheckIcon, ChevronIcon } from "../components/icons";
import { catalogue } from "../state/catalogue";
import type { Trace } from "../state/trace";
import type { Page } from "../tools/contract";
import { grouped, RAW } from "../tools/groups";
import { currentPage, pages } from "../tools/registry";
import { PageIcon } from "./page-icon";
import "../styles/tool-list.css";

export function ToolList({ trace, close }: { trace: Trace; close: () => void }) {
  const shown = currentPage.value;
  const tools = catalogue.value;
  const all = pages.value;
  const absent = all.filter((page) => !page.availability(trace.manifest).isAvailable);
  const groups = grouped(all.filter((page) => !absent.includes(page)));
  const item = (page: Page) => (
    <ToolItem key={page.id} page={page} trace={trace} isShown={page === shown} close={close} />
  );
  return (
    <div class="tool-list">
      {groups.map(({ id, heading, pages: members }) =>
        id === RAW ? (
          <Fold key={id} name={heading} isFirstOpen={members.some((page) => page === shown)}>
            {members.map(item)}
          </Fold>
        ) : (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of a menu
          <div key={id} role="group" aria-label={heading || "The run"} class="menu-group">
            {heading !== "" && (
              <div class="menu-heading" aria-hidden="true">
                {heading}
              </div>
            )}
            {members.map(item)}
          </div>
        ),
      )}
      {absent.length > 0 && (
        <Fold name={`Without an answer for this run: ${absent.length}`} isFirstOpen={false}>
          {absent.map(item)}
        </Fold>
      )}
      {tools.kind === "loading" && <p class="menu-note is-alone">Loading the list of tools …</p>}
      {tools.kind === "failed" && (
        <p class="menu-note is-alone is-bad">The list of tools could not be loaded: {tools.failure.message}</p>
      )}
    </div>
  );
}

interface FoldProps {
  readonly name: string;
  readonly isFirstOpen: boolean;
  readonly children: ComponentChildren;
}

/** Pages behind an entry that shows and hides them. */
function Fold({ name, isFirstOpen, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isFirstOpen);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of a menu
    <div role="group" aria-label={name} class="menu-group">
      <button
        type="button"
        class="menu-item menu-fold"
        role="menuitem"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronIcon isOpen={isOpen} />
        <span class="menu-name">{name}</span>
      </button>
      {isOpen && children}
    </div>
  );
}

interface ToolItemProps {
  readonly page: Page;
  readonly trace: Trace;
  readonly isShown: boolean;
  readonly close: () => void;
}

function ToolItem({ page, trace, isShown, close }: ToolItemProps) {
  const app = useApp();
  const availability = page.availability(trace.manifest);
  return (
    <button
      type="button"
      class="menu-item"
      role="menuitemradio"
      aria-checked={isShown}
      aria-disabled={!availability.isAvailable}
      data-page={page.id}
      title={availability.isAvailable ? page.help : undefined}
      onClick={() => {
        close();
        app.pages.show(page.isBare ? null : page.id);
      }}
    >
      <span>{isShown ? <CheckIcon /> : <PageIcon page={page} />}</span>
      <span class="menu-name">{page.title}</span>
      <span class={availability.isAvailable ? "menu-note" : "menu-note is-reason"}>
        {availability.isAvailable ? page.help : availability.reason}
      </span>
    </button>
  );
}
