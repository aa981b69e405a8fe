/** The content of the Tools menu: all pages by groups, those without an answer for this run with the reason. */

import { useApp } from "../components/app-context";
import { CheckIcon } from "../components/icons";
import { catalogue } from "../state/catalogue";
import type { Trace } from "../state/trace";
import type { Page } from "../tools/contract";
import { grouped } from "../tools/groups";
import { currentPage, pages } from "../tools/registry";
import "../styles/tool-list.css";

export function ToolList({ trace, close }: { trace: Trace; close: () => void }) {
  const shown = currentPage.value;
  const tools = catalogue.value;
  return (
    <>
      {grouped(pages.value).map(([group, members]) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of a menu
        <div key={group} role="group" aria-label={group} class="menu-group">
          <div class="menu-heading" aria-hidden="true">
            {group}
          </div>
          {members.map((page) => (
            <ToolItem key={page.id} page={page} trace={trace} isShown={page === shown} close={close} />
          ))}
        </div>
      ))}
      {tools.kind === "loading" && <p class="menu-note is-alone">Asking the server which tools it has …</p>}
      {tools.kind === "failed" && (
        <p class="menu-note is-alone is-bad">The tools of the server are not known: {tools.failure.message}</p>
      )}
    </>
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
  const Icon = page.icon;
  return (
    <button
      type="button"
      class="menu-item"
      role="menuitemradio"
      aria-checked={isShown}
      aria-disabled={!availability.isAvailable}
      data-page={page.id}
      onClick={() => {
        close();
        app.pages.show(page.isBare ? null : page.id);
      }}
    >
      <span>{isShown ? <CheckIcon /> : <Icon />}</span>
      <span class="menu-name">{page.title}</span>
      <span class={availability.isAvailable ? "menu-note" : "menu-note is-reason"}>
        {availability.isAvailable ? page.help : availability.reason}
      </span>
    </button>
  );
}
