/** The head of the details: what is selected, and what can be done with it. */

import type { ComponentChildren } from "preact";
import { useApp } from "../components/app-context";
import { useDock } from "../components/dock-context";
import { CloseIcon, DockRightIcon, DrawerIcon, FitIcon } from "../components/icons";
import { withKeys } from "../keys/table";
import { changeSettings } from "../state/settings";
import { CopyButton } from "./copy-button";
import { PageIcon } from "./panel-icons";
import { NameButtons, Title } from "./title";

export function DockButton() {
  const { side, canChange } = useDock();
  if (!canChange) {
    return null;
  }
  const label = side === "bottom" ? "Dock the details on the right" : "Dock the details below";
  return (
    <button
      type="button"
      class="button is-icon"
      title={label}
      aria-label={label}
      onClick={() => changeSettings({ drawerSide: side === "bottom" ? "right" : "bottom" })}
    >
      {side === "bottom" ? <DockRightIcon /> : <DrawerIcon />}
    </button>
  );
}

interface HeadProps {
  readonly title: string;
  /** The name of what is selected, if it has one: to be copied and searched for. */
  readonly name?: string;
  /** Label of the button that zooms to it. */
  readonly zoom?: string;
  readonly copy?: () => string;
  /** Content beside the title. */
  readonly children?: ComponentChildren;
  /** Shows the same on a page of its own. */
  readonly page?: { readonly title: string; readonly open: () => void } | null;
}

export function Head({ title, name = "", zoom, copy, children, page = null }: HeadProps) {
  const app = useApp();
  return (
    <div class={children === undefined ? "drawer-head" : "drawer-head has-tabs"}>
      <Title text={title} />
      {name !== "" && <NameButtons name={name} />}
      {children}
      {page !== null && (
        <button type="button" class="button is-outlined" title={page.title} onClick={page.open}>
          <PageIcon />
          <span class="head-label">Full page</span>
        </button>
      )}
      {copy !== undefined && <CopyButton what="Copy all as tab-separated text" text={copy} />}
      {zoom !== undefined && (
        <button
          type="button"
          class="button is-outlined"
          title={withKeys(zoom, "focus-selection")}
          onClick={() => app.viewNavigator.zoomToSelection()}
        >
          <FitIcon />
          <span class="head-label">{zoom}</span>
        </button>
      )}
      <DockButton />
      <button
        type="button"
        class="button is-icon"
        aria-label="Close"
        title={withKeys("Close", "toggle-drawer")}
        onClick={() => app.act("toggle-drawer")}
      >
        <CloseIcon />
      </button>
    </div>
  );
}
