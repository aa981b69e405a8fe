/** The head of the details: what is selected, and what can be done with it. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../components/app-context";
import { copyText } from "../components/clipboard";
import { useDock } from "../components/dock-context";
import { CheckIcon, CloseIcon, CopyIcon, DockRightIcon, DrawerIcon, FitIcon } from "../components/icons";
import { withKeys } from "../keys/table";
import { changeSettings } from "../state/settings";
import { PageIcon } from "./panel-icons";

const DONE_MS = 1200;

export function CopyButton({ what, text }: { what: string; text: () => string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    const timer = isDone ? setTimeout(() => setDone(false), DONE_MS) : undefined;
    return () => clearTimeout(timer);
  }, [isDone]);
  return (
    <button
      type="button"
      class="button is-icon"
      title={what}
      aria-label={isDone ? "Copied" : what}
      onClick={async () => {
        await copyText(text());
        setDone(true);
      }}
    >
      {isDone ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}

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
  /** Label of the button that zooms to it. */
  readonly zoom?: string;
  readonly copy?: () => string;
  /** Content beside the title. */
  readonly children?: ComponentChildren;
  /** Shows the same on a page of its own. */
  readonly page?: { readonly title: string; readonly open: () => void } | null;
}

export function Head({ title, zoom, copy, children, page = null }: HeadProps) {
  const app = useApp();
  return (
    <div class={children === undefined ? "drawer-head" : "drawer-head has-tabs"}>
      <h2 class="drawer-title" title={title}>
        {title}
      </h2>
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
