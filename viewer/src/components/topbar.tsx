/** The top bar: which run, which host, how much time is shown, and the buttons for what keys do as well. */

import { formatDuration } from "@tilescope/client";
import { type Intent, withKeys } from "../keys/table";
import { runIdOf, runView } from "../state/run";
import { runs } from "../state/runs";
import { theme } from "../state/settings";
import type { Trace } from "../state/trace";
import { chosenHost } from "../state/tracks";
import { visible } from "../state/view";
import { useApp } from "./app-context";
import { BrandMark, CheckIcon, DrawerIcon, FitIcon, HelpIcon, MinusIcon, MoonIcon, PlusIcon, SunIcon } from "./icons";
import { Menu } from "./menu";
import { RunEntry } from "./run-entry";

function RunPicker() {
  const app = useApp();
  const id = runIdOf(runView.value);
  const list = runs.value ?? [];
  const chosen = list.find((run) => run.id === id);
  return (
    <Menu label="Run" choice={chosen?.name ?? id ?? "Choose a run"} onOpen={() => app.refreshRuns()}>
      {(close) =>
        list.map((run) => (
          <RunEntry
            key={run.id}
            run={run}
            isChosen={run.id === id}
            role="menuitemradio"
            onChoose={() => {
              close();
              app.openRun(run.id);
            }}
          />
        ))
      }
    </Menu>
  );
}

/** What the page is about, for those who do not see it. */
function Heading() {
  const id = runIdOf(runView.value);
  const chosen = runs.value?.find((run) => run.id === id);
  return <h1 class="visually-hidden">{chosen?.name ?? id ?? "All runs"}</h1>;
}

function HostPicker({ hosts }: { hosts: readonly string[] }) {
  const app = useApp();
  const chosen = chosenHost.value;
  const entry = (host: string | null, text: string, close: () => void) => (
    <button
      key={text}
      type="button"
      class="menu-item"
      role="menuitemradio"
      aria-checked={host === chosen}
      onClick={() => {
        close();
        app.chooseHost(host);
      }}
    >
      <span>{host === chosen && <CheckIcon />}</span>
      <span class="menu-name">{text}</span>
    </button>
  );
  return (
    <Menu label="Host" choice={chosen ?? `All ${hosts.length} hosts`}>
      {(close) => [entry(null, "All hosts", close), ...hosts.map((host) => entry(host, host, close))]}
    </Menu>
  );
}

function VisibleRange({ trace }: { trace: Trace }) {
  const { tickPs } = trace.manifest.time;
  const run = trace.manifest.range;
  const shown = visible.value;
  // The view may reach a little beyond the ends of the run.
  const startTicks = shown.startTicks > run.startTicks ? shown.startTicks : run.startTicks;
  const endTicks = shown.endTicks < run.endTicks ? shown.endTicks : run.endTicks;
  return (
    <span class="topbar-range" title="Time shown, of the time of the whole run">
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

export function TopBar() {
  const app = useApp();
  const view = runView.value;
  const trace = view.kind === "open" ? view.trace : null;
  return (
    <header class="topbar">
      <Heading />
      <button type="button" class="button brand" title="All runs" onClick={() => app.openRun(null)}>
        <BrandMark />
        Tilescope
      </button>
      <RunPicker />
      {trace !== null && trace.manifest.hosts.length > 1 && <HostPicker hosts={trace.manifest.hosts} />}
      <span class="topbar-space" />
      {trace !== null && (
        <>
          <VisibleRange trace={trace} />
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
    </header>
  );
}
