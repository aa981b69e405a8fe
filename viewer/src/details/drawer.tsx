/** The details of what is selected, or of the run. */

import type { EventDetails } from "@tilescope/client";
import { useEffect, useMemo } from "preact/hooks";
import { useApp } from "../components/app-context";
import { RunFacts } from "../components/facts";
import { isLedByKeys } from "../components/tree-focus";
import type { DetailsView } from "../state/details";
import { ChainLoader } from "../state/flow-chain";
import type { Pane } from "../state/pane";
import { rootOf } from "../state/pane-root";
import type { Trace } from "../state/trace";
import { AreaPanel } from "./area-panel";
import { BinPanel } from "./bin-panel";
import { EventPanel } from "./event-panel";
import { copyExact } from "./exact-copy";
import { Head } from "./head";
import { CannotFetch, SkeletonRows } from "./notices";
import { PickedSlicesPanel } from "./picked-slices-panel";
import "../styles/drawer.css";

function RunPanel({ trace }: { trace: Trace }) {
  return (
    <>
      <Head title={trace.manifest.name} />
      <div class="drawer-body is-plain">
        <RunFacts trace={trace} />
        <p class="drawer-hint">
          Nothing is selected. Click a slice to see its details, or drag over the timeline to select a time range.
        </p>
      </div>
    </>
  );
}

/** The event that is shown: the selected one, or the one before for as long as it takes to fetch soon. */
function shownOf(view: DetailsView): EventDetails | null {
  if (view.kind === "ready") {
    return view.details;
  }
  return view.kind === "loading" && !view.isSlow ? view.stale : null;
}

function EventContent({ trace }: { trace: Trace }) {
  const app = useApp();
  const { pane } = app;
  // One chain for all events that are selected: it stays while the next of them is slow to come.
  const chains = useMemo(() => new ChainLoader(pane), []);
  useEffect(() => () => chains.close(), [chains]);
  const view = pane.detailsView.value;
  const shown = shownOf(view);
  if (shown !== null) {
    const isStale = view.kind === "loading";
    return (
      <div class={isStale ? "drawer-content is-stale" : "drawer-content"} aria-busy={isStale} inert={isStale}>
        <EventPanel trace={trace} details={shown} chains={chains} />
      </div>
    );
  }
  if (view.kind === "failed") {
    return (
      <>
        <Head title="This event cannot be fetched" />
        <CannotFetch failure={view.failure} retry={() => app.viewNavigator.select({ ...view.event })} />
      </>
    );
  }
  return (
    <>
      <Head title="Loading …" />
      {view.kind === "loading" && view.isSlow && (
        <div class="drawer-body">
          <SkeletonRows widths={[70, 92, 48, 56, 52, 64]} />
          <SkeletonRows widths={[38, 92, 84, 60]} />
          <SkeletonRows widths={[30, 88, 80, 84, 66]} />
        </div>
      )}
    </>
  );
}

function DrawerContent({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const chosen = pane.selection.value;
  switch (chosen.kind) {
    case "none":
      return <RunPanel trace={trace} />;
    case "area":
      return <AreaPanel trace={trace} area={chosen} />;
    case "bin":
      return <BinPanel trace={trace} bin={chosen.bin} />;
    case "several":
      return <PickedSlicesPanel trace={trace} />;
    case "event":
      return <EventContent trace={trace} />;
  }
}

/** One who has come here by keys goes back to the timeline. */
function leave(pane: Pane, event: KeyboardEvent) {
  const timeline = rootOf(pane).querySelector<HTMLElement>(".timeline");
  if (event.key === "Escape" && timeline !== null && isLedByKeys()) {
    event.preventDefault();
    event.stopPropagation();
    timeline.focus({ preventScroll: true });
  }
}

export function Drawer({ trace }: { trace: Trace }) {
  const { pane, name } = useApp();
  return (
    <section
      class="drawer"
      aria-label={`Details ${name}`.trim()}
      tabIndex={-1}
      onKeyDown={(event) => leave(pane, event)}
      onCopy={copyExact}
    >
      <DrawerContent trace={trace} />
    </section>
  );
}
