/** The timeline and the track tree in one scrolling box, below the minimap and the axis. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { keysOf } from "../keys/table";
import { HEADER_PX, type LayoutItem } from "../state/layout";
import type { Pane } from "../state/pane";
import { changeSettings, settings, TREE_PART, TREE_WIDTH_PX } from "../state/settings";
import { toolMode } from "../state/tool-mode";
import type { Trace } from "../state/trace";
import { lateArea } from "../timeline/late-area";
import { connectPointer } from "../timeline/pointer";
import { useApp } from "./app-context";
import { eventsInView } from "./format";
import { Minimap } from "./minimap";
import { Splitter } from "./splitter";
import { TrackTreeView } from "./track-tree";
import { TreeHead } from "./tree-head";
import { useLoaded } from "./use-loaded";

/** Part of the height above what is raised: what it is in stays visible, and the rows below it. */
const RAISED = 1 / 8;

function describe(pane: Pane, trace: Trace): string {
  const { events } = pane.drawStatus.value;
  const shown = events === null ? "" : ` ${eventsInView(events)}.`;
  return `Timeline of ${trace.manifest.name}.${shown} ${keyHint()}`;
}

function keyHint(): string {
  const keys = { zoom: [keysOf("zoom-in"), keysOf("zoom-out")], pan: [keysOf("pan-left"), keysOf("pan-right")] };
  return `${keysOf("enter-slice")} selects the first slice in view, arrows go on from there; ${keysOf("toggle-table")} lists the slices in view; ${keys.zoom.join(" and ")} zoom, ${keys.pan.join(" and ")} pan, question mark shows all keys.`;
}

const loadBusyNote = async () => (await import("./busy-note")).BusyNote;

/** Most runs have none. */
function LateBusyNote({ trace }: { trace: Trace }) {
  const BusyNote = useLoaded("busy-note", loadBusyNote);
  return BusyNote.kind === "ready" ? <BusyNote.value trace={trace} /> : null;
}

const loadGrowthStrip = async () => (await import("./growth-strip")).GrowthStrip;

/** Only while a run is being indexed. */
function LateGrowthStrip() {
  const GrowthStrip = useLoaded("growth", loadGrowthStrip);
  return GrowthStrip.kind === "ready" ? <GrowthStrip.value /> : null;
}

interface TimelineProps {
  readonly trace: Trace;
  /** Lie over the canvas, below the rows of their tracks. */
  readonly lanes?: ComponentChildren;
  /** Below the tracks; null: none. */
  readonly legend?: ComponentChildren;
  /** Take the place of the canvas. */
  readonly children?: ComponentChildren;
}

export function Timeline({ trace, lanes, legend = null, children }: TimelineProps) {
  const app = useApp();
  const description = useId();
  const { pane } = app;
  const scroller = useRef<HTMLDivElement>(null);
  const timeline = useRef<HTMLDivElement>(null);
  const tracks = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const axis = useRef<HTMLCanvasElement>(null);

  // Before the page is painted: its first picture then comes with the tree, and not a frame or two behind it.
  useLayoutEffect(() => {
    const box = scroller.current!;
    const measure = () => {
      const isLower = box.clientHeight < pane.scroll.peek().heightPx;
      pane.scroll.value = { ...pane.scroll.peek(), topPx: box.scrollTop, heightPx: box.clientHeight };
      // The drawer has just opened, perhaps above what was clicked.
      if (isLower) {
        app.viewNavigator.revealSelection();
      }
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    box.addEventListener("scroll", measure, { passive: true });
    const placeOf = (topPx: number, isPinned: boolean) => {
      const pinned = box.querySelector<HTMLElement>(".tree-pinned");
      // What is pinned and the sticky header hide what is right below the upper edge.
      const upperPx = Math.max(0, topPx - (isPinned ? 0 : pane.layout.peek().pinnedPx + HEADER_PX));
      return { scrolling: isPinned && pinned !== null ? pinned : box, upperPx };
    };
    const reveal = (topPx: number, heightPx: number, isPinned = false) => {
      const { scrolling, upperPx } = placeOf(topPx, isPinned);
      if (upperPx < scrolling.scrollTop) {
        scrolling.scrollTop = upperPx;
      } else if (topPx + heightPx > scrolling.scrollTop + scrolling.clientHeight) {
        scrolling.scrollTop = topPx + heightPx - scrolling.clientHeight;
      }
    };
    const onReveal = (event: Event) => {
      const item = (event as CustomEvent<LayoutItem>).detail;
      reveal(item.topPx, item.heightPx, item.isPinned);
    };
    box.addEventListener("reveal", onReveal);
    measure();
    const leave = app.viewNavigator.attach({
      reveal,
      raise: (topPx, heightPx, isPinned = false) => {
        const { scrolling, upperPx } = placeOf(topPx, isPinned);
        scrolling.scrollTop = upperPx - RAISED * scrolling.clientHeight;
        reveal(topPx, heightPx, isPinned);
      },
      scrollTo: (topPx) => {
        box.scrollTop = topPx;
        measure();
      },
    });
    const detach = app.stage.attach({
      timeline: timeline.current!,
      tracks: tracks.current!,
      overlay: overlay.current!,
      axis: axis.current!,
    });
    const disconnect = connectPointer(timeline.current!, box, app.stage, lateArea(app.stage, app.viewNavigator));
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", measure);
      box.removeEventListener("reveal", onReveal);
      disconnect();
      detach();
      leave();
    };
  }, [app]);

  const { treeWidthPx } = settings.value;
  return (
    <div
      class="trace"
      style={{
        "--tree-width": `min(${treeWidthPx}px, var(--tree-part, ${100 * TREE_PART}vw))`,
        "--marks-lane": `${pane.marksLanePx.value}px`,
        "--pinned": `${pane.layout.value.pinnedPx}px`,
      }}
    >
      {pane.growth.value !== null && <LateGrowthStrip />}
      <TreeHead />
      <div class="time-head">
        <Minimap stage={app.stage} trace={trace} />
        <div class="axis">
          <canvas ref={axis} aria-hidden="true" />
        </div>
      </div>
      <div class="scroller" ref={scroller}>
        <div class="scroller-content" style={{ height: `${pane.layout.value.heightPx}px` }}>
          <TrackTreeView trace={trace} />
          <div
            class="timeline"
            data-tool={toolMode.value}
            ref={timeline}
            role="application"
            aria-label="Timeline"
            aria-describedby={description}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys
            tabIndex={0}
            inert={pane.isTableOpen.value}
            style={{ height: `${pane.scroll.value.heightPx}px` }}
          >
            <canvas ref={tracks} role="img" aria-label="Timeline" aria-describedby={description} />
            <canvas ref={overlay} aria-hidden="true" />
            <span id={description} class="visually-hidden">
              {describe(pane, trace)}
            </span>
            {lanes}
          </div>
        </div>
      </div>
      {legend !== null && <div class="legend">{legend}</div>}
      {children}
      {pane.busyPart.value !== null && <LateBusyNote trace={trace} />}
      <Splitter
        axis="x"
        label="Width of the track tree"
        valuePx={treeWidthPx}
        limits={TREE_WIDTH_PX}
        sign={1}
        onChange={(widthPx) => changeSettings({ treeWidthPx: widthPx })}
      />
    </div>
  );
}
