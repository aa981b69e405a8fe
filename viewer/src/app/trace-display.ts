/** Shows a trace: begins its session where another was shown, and keeps everything in its place where it has grown. */

import { fit, type TickRange, type View } from "@tilescope/client";
import { arrange } from "../state/arrangement";
import { colorBy, coloring, shownMeanings } from "../state/coloring";
import { DetailsLoader } from "../state/details";
import { FirstView } from "../state/first-view";
import { LateCode } from "../state/late-code";
import { layOut, NOTHING_FOLDED } from "../state/layout";
import { type EventPlace, eventsOf, NOWHERE, type PageLocation } from "../state/location";
import type { Pane } from "../state/pane";
import { addUnread, pageParts, panesOf, partsOf } from "../state/parts";
import { takeFolds, topOf } from "../state/place";
import { searchFor } from "../state/query";
import { anchorAt, renewedView, scrollTo, shiftedRange, shiftTicks } from "../state/renew";
import { NOTHING, type Selection } from "../state/selection";
import { Session, type SessionEvents } from "../state/session";
import { treeWidthIn } from "../state/settings";
import { failure } from "../state/shell";
import { timeFormat } from "../state/time-format";
import { toolMode } from "../state/tool-mode";
import type { Trace } from "../state/trace";
import { carryChoice, carryFolded, choiceOf } from "../state/track-choice";
import { formatTracks, parseKeys, parseTracks } from "../state/track-keys";
import { carryOpen, defaultExpansion, filterHost } from "../state/tree";
import { RUN_PADDING, wholeView } from "../state/view";
import { rangeOfEvent } from "../timeline/outline";
import type { Stage } from "../timeline/stage";
import type { ViewNavigator } from "../timeline/view-navigator";

/** Code that draws hosts with shifted clocks later. */
const shifting = new LateCode(() => import("../state/shifts"));

/** Height that the bars above and below take of the window, about: they have not been laid out yet. */
const BARS_PX = 197;

/** The part of the application that showing a trace needs. */
export interface TraceDisplayPort extends SessionEvents {
  /** Takes the wishes of the address for a run that is about to be shown. */
  takeWanted(run: string): PageLocation | null;
  /** Takes up what an address has for the page as a whole; null: a run was chosen without one. */
  takePage(to: PageLocation | null): void;
  /** A session has begun, or goes on with a trace that has grown. */
  onSession(current: Session): void;
}

export class TraceDisplay {
  readonly #pane: Pane;
  readonly #stage: Stage;
  readonly #viewNavigator: ViewNavigator;
  readonly #port: TraceDisplayPort;
  readonly #firstView: FirstView;
  #details: DetailsLoader | null = null;

  constructor(stage: Stage, viewNavigator: ViewNavigator, port: TraceDisplayPort) {
    this.#stage = stage;
    this.#pane = stage.pane;
    this.#firstView = new FirstView(stage.pane);
    this.#viewNavigator = viewNavigator;
    this.#port = port;
  }

  /** Shows a trace, or none. */
  show(trace: Trace | null): void {
    const current = this.#pane.session.peek();
    const before = current?.trace.manifest;
    if (current !== null && trace?.manifest.run === before?.run && trace?.manifest.build === before?.build) {
      this.#renew(current, trace!);
      return;
    }
    this.#end();
    if (trace !== null) {
      this.#begin(trace);
    }
  }

  /** Follows the selection with the details of what is selected. */
  follow(chosen: Selection): void {
    void this.#details?.follow(chosen);
  }

  /** Goes to where an address leads in the trace that is shown. */
  travel(trace: Trace, to: PageLocation): void {
    chooseHost(this.#pane, trace, to.host);
    this.#pane.addressMarks.value = to.marks;
    this.#port.takePage(to);
    this.#choose(trace, to);
    if (to.range !== null) {
      this.#stage.motion.jumpTo(fit(to.range, this.#pane.view.peek().widthPx));
    }
    if (!isSelected(this.#pane, to)) {
      this.#pane.selection.value = NOTHING;
      this.#select(trace, to);
    }
    this.#place(trace, to);
  }

  #end(): void {
    this.#firstView.forget();
    this.#details?.close();
    this.#details = null;
    this.#pane.session.peek()?.close();
    this.#pane.session.value = null;
    this.#pane.selection.value = NOTHING;
    this.#pane.selectedRange.value = null;
    this.#pane.foldedRows.value = NOTHING_FOLDED;
    this.#pane.parts.value = {};
  }

  #begin(trace: Trace): void {
    const { api, manifest } = trace;
    const wanted = this.#port.takeWanted(manifest.run);
    this.#pane.bounds.value = manifest.range;
    chooseHost(this.#pane, trace, wanted?.host ?? null);
    this.#pane.openGroups.value = defaultExpansion(trace.roots);
    this.#pane.view.value = startView(manifest.range, wanted?.range ?? null);
    foreseeSize(this.#pane);
    this.#pane.addressMarks.value = wanted?.marks ?? "";
    this.#port.takePage(wanted);
    this.#details = new DetailsLoader(
      this.#pane,
      manifest,
      (track, ordinal, abort) => api.event(track, ordinal, abort),
      (event) => (this.#stage.picture === null ? null : rangeOfEvent(this.#stage.picture, event)),
    );
    this.#pane.session.value = new Session(this.#pane, trace, coloring.peek(), () => this.#stage.arrived(), this.#port);
    this.#port.onSession(this.#pane.session.value);
    if (wanted?.range == null && manifest.state === "ready") {
      this.#findFirstView(trace);
    }
    if (wanted !== null) {
      this.#select(trace, wanted);
    }
    this.#choose(trace, wanted ?? NOWHERE);
    this.#place(trace, wanted ?? NOWHERE);
    this.#stage.foresee(this.#pane.session.value);
  }

  /** Hides, pins and moves tracks as an address has it; says how many of them there are not. */
  #choose(trace: Trace, to: PageLocation): void {
    const { choice, unknown } = choiceOf(to.choice, trace);
    this.#pane.trackChoice.value = choice;
    if (unknown > 0) {
      failure.value = `The address names ${unknown === 1 ? "a track" : `${unknown} tracks`} that this run does not have.`;
    }
  }

  /** Opens, closes and scrolls tracks as an address has it, and has code that is loaded late take the rest of it. */
  #place(trace: Trace, to: PageLocation): void {
    const { open, closed, top, ...others } = to.parts;
    takeFolds(this.#pane, trace, to.parts);
    if (top !== undefined) {
      this.#viewNavigator.place(() => topOf(this.#pane, top));
    }
    this.#pane.parts.value = partsOf(others, false);
    if (trace.manifest.shifts?.length || to.parts.shift) {
      shifting.ask(({ followShifts }) => followShifts(this.#pane));
    }
  }

  /** The trace on the screen has grown: everything stays where it is. */
  #renew(current: Session, trace: Trace): void {
    const before = current.trace;
    const arranged = arrange(filterHost(before.roots, this.#pane.chosenHost.peek()), this.#pane.trackChoice.peek());
    // The screen still has the former heights of rows.
    const { openGroups, laneHeights, foldedRows } = this.#pane;
    const former = layOut(arranged.body, openGroups.peek(), [], 0, laneHeights.peek(), foldedRows.peek());
    const anchor = anchorAt(former, this.#pane.scroll.peek().topPx);
    const shift = shiftTicks(before, trace);
    const chosen = this.#pane.selection.peek();
    foldedRows.value = carryFolded(before, trace, foldedRows.peek());
    this.#details?.renew(trace.manifest);
    this.#pane.bounds.value = trace.manifest.range;
    this.#pane.view.value = renewedView(
      this.#pane.view.peek(),
      before,
      trace,
      this.#pane.view.peek().widthPx * RUN_PADDING,
    );
    if (chosen.kind === "area" && shift !== 0n) {
      this.#pane.selection.value = { ...chosen, range: shiftedRange(chosen.range, shift) };
    }
    this.#pane.openGroups.value = carryOpen(before, trace, this.#pane.openGroups.peek(), defaultExpansion(trace.roots));
    this.#pane.trackChoice.value = carryChoice(before, trace, this.#pane.trackChoice.peek());
    current.renew(trace);
    this.#stage.extension?.renew(trace);
    this.#port.onSession(current);
    const topPx = anchor === null ? null : scrollTo(this.#pane.layout.peek(), anchor);
    // The content gets its new height with the next rendering.
    if (topPx !== null && topPx !== this.#pane.scroll.peek().topPx) {
      requestAnimationFrame(() => this.#viewNavigator.scrollTo(topPx));
    }
    if (before.manifest.state === "indexing" && trace.manifest.state === "ready") {
      this.#findFirstView(trace);
    }
  }

  #findFirstView(trace: Trace): void {
    void this.#firstView.find(trace, (range) => this.#viewNavigator.showFirst(trace.manifest.range, range));
  }

  #select(trace: Trace, { events, area }: PageLocation): void {
    const isPresent = ({ track, ordinal }: EventPlace) => BigInt(ordinal) < (trace.tracks.get(track)?.events ?? 0n);
    const isGrowing = trace.manifest.state !== "ready";
    const present = events.filter((place) => (isGrowing ? trace.tracks.has(place.track) : isPresent(place)));
    const absent = events.filter((place) => !present.includes(place));
    if (absent.length > 0) {
      addUnread(`sel=${absent.map(({ track, ordinal }) => `${track}.${ordinal}`).join(",")} (not in this run)`);
    }
    for (const { track } of present) {
      this.#viewNavigator.openGroupsOf(trace, track);
    }
    const [only] = present;
    if (only !== undefined) {
      this.#viewNavigator.select(
        present.length === 1 ? { kind: "event", ...only } : { kind: "several", events: present },
      );
    } else if (area !== null) {
      const { tracks, ...range } = area;
      if (!isGrowing && parseKeys(tracks, trace).unknown > 0) {
        addUnread(`tracks=${tracks} (not all in this run)`);
      }
      this.#viewNavigator.select({ kind: "area", range, tracks: parseTracks(tracks, trace) });
    }
  }
}

/** Shows only this host, if the run has it; one that is still being indexed may have it later. */
function chooseHost(pane: Pane, { manifest }: Trace, host: string | null): void {
  const isAbsent = host !== null && manifest.state === "ready" && !manifest.hosts.includes(host);
  pane.chosenHost.value = isAbsent ? null : host;
  if (isAbsent) {
    addUnread(`host=${host} (not in this run)`);
  }
}

/** Takes up what an address has for the page as a whole: tool, colours, times, query, parts of pages. Null: the second pane stays. */
export function takePage(to: PageLocation | null): void {
  const { mode, color, kinds, time, query, parts } = to ?? { ...NOWHERE, parts: panesOf(pageParts.peek()) };
  toolMode.value = mode;
  searchFor(query);
  pageParts.value = partsOf(parts, true);
  colorBy.value = color;
  shownMeanings.value = kinds.length === 0 ? null : new Set(kinds);
  timeFormat.value = time ?? timeFormat.peek();
}

/** True if the selection of an address is selected already. */
function isSelected(pane: Pane, { events, area }: PageLocation): boolean {
  const chosen = pane.selection.peek();
  switch (chosen.kind) {
    case "event":
    case "several":
      return JSON.stringify(eventsOf(chosen)) === JSON.stringify(events);
    case "area":
      return (
        events.length === 0 &&
        area?.startTicks === chosen.range.startTicks &&
        area.endTicks === chosen.range.endTicks &&
        area.tracks === formatTracks(chosen.tracks)
      );
    default:
      return events.length === 0 && area === null;
  }
}

/** The first view of a run, of the width that the timeline is likely to have: it fits the same range when it knows its own. */
function startView(run: TickRange, wanted: TickRange | null): View {
  const widthPx = Math.max(1, Math.round(innerWidth - treeWidthIn(innerWidth)));
  return wanted === null ? wholeView(run, widthPx) : fit(wanted, widthPx);
}

/** So many rows are likely to be seen: the tree is rendered at once with those, and their tiles can be asked for. */
function foreseeSize(pane: Pane): void {
  if (pane.scroll.peek().heightPx === 0) {
    pane.scroll.value = { ...pane.scroll.peek(), heightPx: Math.max(1, innerHeight - BARS_PX) };
  }
}
