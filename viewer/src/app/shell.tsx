/** The page: top bar, timeline or message, drawer, status bar, and what floats above them. */

import type { Manifest, Run } from "@tilescope/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { AppProvider, useApp } from "../components/app-context";
import { FailedMessage, OpeningMessage, RunListMessage } from "../components/messages";
import { SOON_MS, useLateField, useLoaded } from "../components/use-loaded";
import { page } from "../state/page";
import { setRoot } from "../state/pane-root";
import { pageParts } from "../state/parts";
import { announcement, embedded, isHelpOpen, isPaletteOpen, notice } from "../state/shell";
import { PageSlot } from "../tools/slot";
import type { App } from "./app";
import { Heading, TopBar } from "./topbar";

const loadUnknown = async () => (await import("../components/run-choice")).UnknownRunMessage;
const loadEmpty = async () => (await import("../components/run-choice")).EmptyMessage;

const loadIndexing = async () => (await import("../components/indexing-message")).IndexingMessage;

function LateIndexing(props: { run: Run }) {
  const Indexing = useLoaded("indexing", loadIndexing);
  return Indexing.kind === "ready" ? <Indexing.value {...props} /> : <OpeningMessage />;
}

function LateUnknown(props: { id: string }) {
  const Unknown = useLoaded("unknown", loadUnknown);
  return Unknown.kind === "ready" ? <Unknown.value {...props} /> : null;
}

function LateEmpty(props: { manifest: Manifest }) {
  const Empty = useLoaded("empty", loadEmpty);
  return Empty.kind === "ready" ? <Empty.value {...props} /> : null;
}

function Work() {
  const { pane } = useApp();
  const view = pane.runView.value;
  switch (view.kind) {
    case "list":
      return <RunListMessage />;
    case "opening":
      return <OpeningMessage />;
    case "unknown":
      return <LateUnknown id={view.id} />;
    case "indexing":
      return <LateIndexing run={view.run} />;
    case "failed":
      return <FailedMessage id={view.id} name={view.name} message={view.message} />;
    case "empty":
      return <LateEmpty manifest={view.manifest} />;
    case "open":
      return <PageSlot trace={view.trace} />;
  }
}

/** The banner is loaded soon after the page, for when the server is away, or at once where something is wrong already. */
const loadBanner = async () => (await import("../components/link-banner")).LinkBanner;

function Banner() {
  const LinkBanner = useLoaded("banner", loadBanner);
  return LinkBanner.kind === "ready" ? <LinkBanner.value /> : null;
}

function LateBanner() {
  const [isSoon, setSoon] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSoon(true), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSoon ? <Banner /> : null;
}

const loadStatusBar = async () => (await import("./status-bar")).StatusBar;

/** The status bar comes behind the first picture; its place is kept. */
function LateStatusBar() {
  const StatusBar = useLoaded("status-bar", loadStatusBar);
  return StatusBar.kind === "ready" ? <StatusBar.value /> : <footer class="statusbar" />;
}

/** The help is loaded when it is first asked for. */
const loadHelp = async () => (await import("./help-dialog")).HelpDialog;

function Help() {
  const HelpDialog = useLoaded("help", loadHelp);
  return HelpDialog.kind === "ready" ? <HelpDialog.value /> : null;
}

function LateHelp() {
  const wasAsked = useRef(false);
  wasAsked.current ||= isHelpOpen.value;
  return wasAsked.current ? <Help /> : null;
}

/** So is the list of all that can be done. */
const loadPalette = async () => (await import("./palette")).Palette;

function LatePalette() {
  const Palette = useLoaded("palette", loadPalette);
  useLateField(Palette, isPaletteOpen, "The command palette");
  return Palette.kind === "ready" ? <Palette.value /> : null;
}

const loadEmbedLink = async () => (await import("../share/embed-link")).EmbedLink;

/** Out of a page that is part of another. */
function LateEmbedLink() {
  const EmbedLink = useLoaded("embed-link", loadEmbedLink);
  return EmbedLink.kind === "ready" ? <EmbedLink.value /> : null;
}

const NOTICE_MS = 2500;

/** Answer to an action, above the status bar. Screen readers have it from the live region. */
function Notice({ text }: { text: string }) {
  useEffect(() => {
    const timer = setTimeout(() => {
      notice.value = "";
    }, NOTICE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="notice" aria-hidden="true">
      {text}
    </div>
  );
}

const loadSecond = () => import("./second-pane");

/** Two timelines: the bar above the first, and all of the second. */
function LateSecond({ app, part }: { app: App; part: "head" | "pane" }) {
  const Second = useLoaded("second", loadSecond);
  if (Second.kind !== "ready" || app.panes.here === null) {
    return null;
  }
  const { PaneHead, SecondPane } = Second.value;
  return part === "head" ? (
    <PaneHead app={app.first} panes={app.panes.here} />
  ) : (
    <SecondPane app={app.second.value!} panes={app.panes.here}>
      <Work />
    </SecondPane>
  );
}

export function Shell({ app }: { app: App }) {
  const isSplit = app.second.value !== null && page.value.tool === null && app.mainPane.runView.value.kind !== "list";
  const side = pageParts.value.split?.startsWith("beside") ? "is-beside" : "is-below";
  return (
    <AppProvider value={app.active.value}>
      <div class={embedded ? "shell is-embedded" : "shell"}>
        {!embedded && <TopBar />}
        <main class={isSplit ? `work is-split ${side}` : "work"} tabIndex={-1}>
          {embedded && <Heading />}
          <AppProvider value={isSplit ? app.first : app.active.value}>
            <div class="pane" ref={(element) => setRoot(app.first.pane, element)}>
              {isSplit && <LateSecond app={app} part="head" />}
              <Work />
            </div>
          </AppProvider>
          {isSplit && <LateSecond app={app} part="pane" />}
          {embedded && <LateEmbedLink />}
        </main>
        <LateBanner />
        {!embedded && <LateStatusBar />}
        <div class="visually-hidden" role="status" aria-live="polite">
          {announcement.value}
        </div>
        {notice.value !== "" && <Notice text={notice.value} />}
        <LateHelp />
        {isPaletteOpen.value && <LatePalette />}
      </div>
    </AppProvider>
  );
}
