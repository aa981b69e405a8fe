/** The tracks, the details of what is selected, and what the pointer is over. */

import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../../components/app-context";
import { Docked } from "../../components/dock";
import { Timeline } from "../../components/timeline";
import { SOON_MS, useLateField, useLoaded } from "../../components/use-loaded";
import type { Pane } from "../../state/pane";
import { embedded } from "../../state/shell";
import type { Trace } from "../../state/trace";
import type { Stage } from "../../timeline/stage";
import type { PageProps } from "../contract";

/** Drawer and tooltip are loaded when they are first needed, or soon after the tracks: they tell also when the server is away. */
const loadDrawer = async () => (await import("../../details/drawer")).Drawer;

function LateDrawer({ trace }: { trace: Trace }) {
  const Drawer = useLoaded("drawer", loadDrawer);
  return Drawer.kind === "ready" ? <Drawer.value trace={trace} /> : null;
}

const loadMarksPanel = async () => (await import("../../marks/panel")).MarksPanel;

function LateMarks({ trace }: { trace: Trace }) {
  const MarksPanel = useLoaded("marks", loadMarksPanel);
  return MarksPanel.kind === "ready" ? <MarksPanel.value trace={trace} /> : null;
}

const loadFinder = async () => (await import("../../components/track-finder")).TrackFinder;

function LateFinder({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const TrackFinder = useLoaded("track-finder", loadFinder);
  useLateField(TrackFinder, pane.isFinderOpen, "The list of tracks");
  return TrackFinder.kind === "ready" ? <TrackFinder.value trace={trace} /> : null;
}

const loadTable = async () => (await import("../../details/slice-table")).SliceTable;

function LateTable({ trace }: { trace: Trace }) {
  const SliceTable = useLoaded("slice-table", loadTable);
  return SliceTable.kind === "ready" ? <SliceTable.value trace={trace} /> : null;
}

const loadLanes = async () => (await import("../../details/lane-layer")).LaneLayer;

function LateLanes({ trace }: { trace: Trace }) {
  const LaneLayer = useLoaded("lanes", loadLanes);
  return LaneLayer.kind === "ready" ? <LaneLayer.value trace={trace} /> : null;
}

/** The legend comes behind the first picture. */
async function loadLegend({ late }: Stage) {
  await new Promise((resolve) => late.whenHere(resolve));
  return (await import("../../components/legend")).Legend;
}

function LateLegend() {
  const { stage } = useApp();
  const Legend = useLoaded("legend", () => loadLegend(stage));
  return Legend.kind === "ready" ? <Legend.value /> : null;
}

const loadTooltip = async () => (await import("../../components/tooltip")).Tooltip;

function LateTooltip({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const wasNeeded = useRef(false);
  wasNeeded.current ||= pane.hover.value !== null;
  return wasNeeded.current ? <LoadedTooltip trace={trace} /> : null;
}

function LoadedTooltip({ trace }: { trace: Trace }) {
  const Tooltip = useLoaded("tooltip", loadTooltip);
  return Tooltip.kind === "ready" ? <Tooltip.value trace={trace} /> : null;
}

/** For the keys that walk from slice to slice. */
const loadWalk = () => import("../../timeline/walk");

/** For the address, which says which tabs of a span are shown. */
const loadTabs = async (pane: Pane) => (await import("../../details/span-tabs")).spanTabs(pane);

function loadSoon(pane: Pane): () => void {
  const timer = setTimeout(() => {
    for (const load of [loadDrawer, loadTooltip, loadWalk, () => loadTabs(pane)]) {
      load().catch(() => undefined); // whoever needs it asks again, and says that it is not there
    }
  }, SOON_MS);
  return () => clearTimeout(timer);
}

export function TimelineView({ context: { trace } }: PageProps<null>) {
  const { pane } = useApp();
  useEffect(() => loadSoon(pane), [pane]);
  return (
    <>
      <Docked
        details={
          embedded ? null : pane.isMarksOpen.value ? (
            <LateMarks trace={trace} />
          ) : pane.isDrawerOpen.value ? (
            <LateDrawer trace={trace} />
          ) : null
        }
      >
        <Timeline
          key={trace.manifest.build}
          trace={trace}
          legend={embedded ? null : <LateLegend />}
          lanes={pane.trackChoice.value.lanes.length > 0 ? <LateLanes trace={trace} /> : null}
        >
          {pane.isTableOpen.value && <LateTable trace={trace} />}
        </Timeline>
      </Docked>
      <LateTooltip trace={trace} />
      {pane.isFinderOpen.value && <LateFinder trace={trace} />}
    </>
  );
}
