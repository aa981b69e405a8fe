/** The top bar: which run, which host, how much time is shown, and the buttons for what keys do as well. */

import { formatDuration, type Manifest } from "@tilescope/client";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../components/app-context";
import {
  BrandMark,
  CheckIcon,
  DashboardIcon,
  DrawerIcon,
  FitIcon,
  HelpIcon,
  MinusIcon,
  MoonIcon,
  MoreIcon,
  PlusIcon,
  SunIcon,
  TableIcon,
  TimelineIcon,
} from "../components/icons";
import { Menu } from "../components/menu";
import type { RunItemsProps } from "../components/run-choice";
import { SearchBox } from "../components/search-box";
import { focusSoon } from "../components/tree-focus";
import { useLoaded } from "../components/use-loaded";
import { type Intent, withKeys } from "../keys/table";
import { hostCount, hostNoun } from "../state/host-noun";
import { page } from "../state/page";
import type { Pane } from "../state/pane";
import { runIdOf } from "../state/run";
import { runs } from "../state/runs";
import { theme } from "../state/settings";
import type { Trace } from "../state/trace";
import { currentPage } from "../tools/registry";

const loadRunItems = async () => (await import("../components/run-choice")).RunItems;

function LateRunItems(props: RunItemsProps) {
  const RunItems = useLoaded("run-items", loadRunItems);
  return RunItems.kind === "ready" ? <RunItems.value {...props} /> : null;
}

/** Name of the run on the screen; its id where the name is unknown, null where there is no run. */
function nameOfRun(pane: Pane): string | null {
  const view = pane.runView.value;
  const id = runIdOf(view);
  // The one that is shown may be gone from the list.
  const shown = view.kind === "open" ? view.trace.manifest.name : null;
  return shown ?? runs.value?.find((run) => run.id === id)?.name ?? id;
}

function RunPicker() {
  const app = useApp();
  const { pane } = app;
  const id = runIdOf(pane.runView.value);
  const list = runs.value ?? [];
  return (
    <Menu label="Run" choice={nameOfRun(pane) ?? "Choose a run"} onOpen={() => app.refreshRuns()}>
      {(close) => <LateRunItems list={list} chosen={id} close={close} />}
    </Menu>
  );
}

const loadToolList = async () => (await import("./tool-list")).ToolList;

/** The tools come after the first picture; their room is kept. */
function LateStrip(props: { trace: Trace }) {
  const { stage } = useApp();
  const Strip = useLoaded("strip", async () => {
    await new Promise((resolve) => stage.late.whenHere(resolve));
    return (await import("../marks/strip")).Strip;
  });
  return <div class="strip-room">{Strip.kind === "ready" && <Strip.value {...props} />}</div>;
}

/** The way to all pages. */
function ToolsMenu({ trace }: { trace: Trace }) {
  const app = useApp();
  const shown = currentPage.value;
  return (
    <Menu
      label="Tools"
      choice={shown === null || shown.isBare ? "Tools" : `Tools: ${shown.title}`}
      onOpen={() => app.catalogue.look(trace)}
      isWide
    >
      {(close) => <LateToolList trace={trace} close={close} />}
    </Menu>
  );
}

function LateToolList(props: { trace: Trace; close: () => void }) {
  const ToolList = useLoaded("tool-list", loadToolList);
  return ToolList.kind === "ready" ? <ToolList.value {...props} /> : null;
}

const loadShareItems = async () => (await import("../share/share-menu")).ShareItems;

function LateShareItems(props: { trace: Trace; close: () => void }) {
  const ShareItems = useLoaded("share", loadShareItems);
  return ShareItems.kind === "ready" ? <ShareItems.value {...props} /> : null;
}

/** Heading of the page, for those who do not see it. */
export function Heading() {
  const { pane } = useApp();
  return <h1 class="visually-hidden">{nameOfRun(pane) ?? "All runs"}</h1>;
}

function HostPicker({ hosts, missing }: Pick<Manifest, "hosts" | "missing">) {
  const app = useApp();
  const { pane } = app;
  const chosen = pane.chosenHost.value;
  const noun = hostNoun(hosts);
  const entry = (host: string | null, text: string, close: () => void) => (
    <button
      key={text}
      type="button"
      class="menu-item"
      role="menuitemradio"
      aria-checked={host === chosen}
      onClick={() => {
        close();
        pane.chosenHost.value = host;
        app.viewNavigator.reveal(0, 0);
      }}
    >
      <span>{host === chosen && <CheckIcon />}</span>
      <span class="menu-name">{text}</span>
    </button>
  );
  return (
    <Menu label={noun.title} choice={chosen ?? hostCount(hosts, missing?.length ?? 0)}>
      {(close) => [entry(null, `All ${noun.many}`, close), ...hosts.map((host) => entry(host, host, close))]}
    </Menu>
  );
}

function VisibleRange({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const { tickPs } = trace.manifest.time;
  const run = trace.manifest.range;
  const shown = pane.visible.value;
  // The view may reach a little beyond the ends of the run.
  const startTicks = shown.startTicks > run.startTicks ? shown.startTicks : run.startTicks;
  const endTicks = shown.endTicks < run.endTicks ? shown.endTicks : run.endTicks;
  return (
    <span class="topbar-range" title="Visible time, of the whole run">
      <strong>{formatDuration(endTicks - startTicks, tickPs)}</strong> of{" "}
      {formatDuration(run.endTicks - run.startTicks, tickPs)}
    </span>
  );
}

function ActionButton({ intent, label, children }: { intent: Intent; label: string; children: preact.ComponentChild }) {
  const app = useApp();
  return (
    <button
      type="button"
      class="button is-icon"
      aria-label={label}
      title={withKeys(label, intent)}
      onClick={() => app.act(intent)}
    >
      {children}
    </button>
  );
}

/** Widths of the window in CSS pixels from which there is room: `styles/topbar.css` has a rule for each. */
type Room = 1000 | 1200 | 1440 | 1680 | 1900;

/** Controls that stand in the first line where the window is wide enough, and else below it, behind "More". */
function Fold({ needs, children }: { needs: Room; children: preact.ComponentChildren }) {
  return <div class={`topbar-fold needs-${needs}`}>{children}</div>;
}

/** Shows what has no room in the first line, below it. */
function MoreButton({ isOpen, until, toggle }: { isOpen: boolean; until: Room; toggle: () => void }) {
  return (
    <button
      type="button"
      class={`button is-icon topbar-more until-${until}`}
      aria-label="More"
      title="More"
      aria-expanded={isOpen}
      onClick={toggle}
    >
      <MoreIcon />
    </button>
  );
}

/** The tool that says how a run does: one click away from the timeline. */
const OVERVIEW = "overview";

/** Selector of the main content: those who walk with keys can skip everything that stands before it. */
const WORK = ".timeline:not([inert]), .slice-table";

export function TopBar() {
  const app = useApp();
  const { pane } = app;
  const [isOpen, setOpen] = useState(false);
  const view = pane.runView.value;
  const trace = view.kind === "open" ? view.trace : null;
  const { tool } = page.value;
  const isTimeline = tool === null;
  // Whoever has chosen a page looks at that.
  useEffect(() => setOpen(false), [tool]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what a button in it has opened
    <header
      class={isOpen ? "topbar is-open" : "topbar"}
      onKeyDown={(event) => {
        if (event.key === "Escape" && isOpen && !event.defaultPrevented) {
          event.stopPropagation();
          setOpen(false);
        }
      }}
    >
      <Heading />
      {trace !== null && (
        <button
          type="button"
          class="button is-primary skip"
          onClick={() => (isTimeline ? focusSoon(pane, WORK) : document.querySelector<HTMLElement>(".work")?.focus())}
        >
          {isTimeline ? "Skip to the timeline" : "Skip to the page"}
        </button>
      )}
      <button type="button" class="button brand" title="All runs" onClick={() => app.openRun(null)}>
        <BrandMark />
        <span class="brand-name">Tilescope</span>
      </button>
      <RunPicker />
      {trace !== null && isTimeline && trace.manifest.hosts.length > 1 && (
        <Fold needs={1200}>
          <HostPicker {...trace.manifest} />
        </Fold>
      )}
      {trace !== null && (
        <Fold needs={1000}>
          <ToolsMenu trace={trace} />
        </Fold>
      )}
      {trace !== null && isTimeline && (
        <Fold needs={1000}>
          <button type="button" class="button" title="Summary of the run" onClick={() => app.pages.show(OVERVIEW)}>
            <DashboardIcon />
            Overview
          </button>
        </Fold>
      )}
      {trace !== null && !isTimeline && (
        <Fold needs={1000}>
          <button
            type="button"
            class="button"
            title={withKeys("Back to the timeline", "toggle-page")}
            onClick={() => app.pages.show(null)}
          >
            <TimelineIcon />
            Timeline
          </button>
        </Fold>
      )}
      {trace !== null && isTimeline ? <SearchBox trace={trace} /> : <span class="topbar-space" />}
      <MoreButton isOpen={isOpen} until={isTimeline && trace !== null ? 1680 : 1000} toggle={() => setOpen(!isOpen)} />
      {trace !== null && isTimeline && (
        <>
          <Fold needs={1900}>
            <VisibleRange trace={trace} />
          </Fold>
          <Fold needs={1680}>
            <LateStrip trace={trace} />
          </Fold>
        </>
      )}
      {trace !== null && (
        <Fold needs={isTimeline ? 1200 : 1000}>
          <Menu label="Share" choice="Share">
            {(close) => <LateShareItems trace={trace} close={close} />}
          </Menu>
        </Fold>
      )}
      <Fold needs={isTimeline && trace !== null ? 1440 : 1000}>
        {trace !== null && isTimeline && (
          <>
            <ActionButton intent="step-zoom-out" label="Zoom out">
              <MinusIcon />
            </ActionButton>
            <ActionButton intent="step-zoom-in" label="Zoom in">
              <PlusIcon />
            </ActionButton>
            <ActionButton intent="fit-run" label="Show the whole trace">
              <FitIcon />
            </ActionButton>
            <span class="topbar-divider" />
            <ActionButton intent="toggle-table" label="Table of the slices in view">
              <TableIcon />
            </ActionButton>
            <ActionButton intent="toggle-drawer" label="Details drawer">
              <DrawerIcon />
            </ActionButton>
          </>
        )}
        <ActionButton intent="toggle-theme" label={theme.value === "dark" ? "Light theme" : "Dark theme"}>
          {theme.value === "dark" ? <SunIcon /> : <MoonIcon />}
        </ActionButton>
        <ActionButton intent="show-help" label="Keys and mouse">
          <HelpIcon />
        </ActionButton>
      </Fold>
      <span class="topbar-break" />
    </header>
  );
}
