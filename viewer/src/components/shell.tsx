/** The page: top bar, timeline or message, drawer, status bar, and what floats above them. */

import type { App } from "../app";
import { runView } from "../state/run";
import { settings } from "../state/settings";
import { announcement, isDrawerOpen } from "../state/shell";
import { AppProvider } from "./app-context";
import { Drawer } from "./drawer";
import { HelpDialog } from "./help-dialog";
import {
  EmptyMessage,
  FailedMessage,
  IndexingMessage,
  OpeningMessage,
  RunListMessage,
  UnknownRunMessage,
} from "./messages";
import { StatusBar } from "./status-bar";
import { Timeline } from "./timeline";
import { Tooltip } from "./tooltip";
import { TopBar } from "./topbar";

function Work({ app }: { app: App }) {
  const view = runView.value;
  switch (view.kind) {
    case "list":
      return <RunListMessage />;
    case "opening":
      return <OpeningMessage />;
    case "unknown":
      return <UnknownRunMessage id={view.id} />;
    case "indexing":
      return <IndexingMessage run={view.run} />;
    case "failed":
      return <FailedMessage id={view.id} name={view.name} message={view.message} />;
    case "empty":
      return <EmptyMessage manifest={view.manifest} />;
    case "open":
      return (
        <>
          <Timeline key={view.trace.manifest.build} app={app} trace={view.trace} />
          {isDrawerOpen.value && <Drawer trace={view.trace} />}
          <Tooltip trace={view.trace} />
        </>
      );
  }
}

export function Shell({ app }: { app: App }) {
  return (
    <AppProvider value={app}>
      <div class="shell" style={{ "--drawer-height": `${settings.value.drawerHeightPx}px` }}>
        <TopBar />
        <main class="work">
          <Work app={app} />
        </main>
        <StatusBar />
        <div class="visually-hidden" role="status" aria-live="polite">
          {announcement.value}
        </div>
        <HelpDialog />
      </div>
    </AppProvider>
  );
}
