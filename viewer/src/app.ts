/**
 * The application: ties the state, the stage and the server together, and does what the user asks for.
 */

import { effect, untracked } from "@preact/signals";
import {
  Api,
  centreOn,
  type EventDetails,
  fit,
  formatDuration,
  sameView,
  type TickRange,
  ticks,
  type View,
  visibleRange,
  xOfTick,
} from "@tilescope/client";
import type { AppActions } from "./components/app-context";
import type { Intent } from "./keys/table";
import { AddressKeeper } from "./state/address";
import { DetailsLoader, detailsView } from "./state/details";
import { busyPart, FirstView } from "./state/first-view";
import { layOut, ROW_PX } from "./state/layout";
import type { LearntFacts } from "./state/learnt";
import { serverRoot } from "./state/location";
import { anchorAt, renewedView, scrollTo, shiftedRange, shiftTicks } from "./state/renew";
import { RunOpener, runIdOf, runView } from "./state/run";
import { RunsPoller, runs } from "./state/runs";
import { type BinFacts, NOTHING, type Selection, selectedRange, selection } from "./state/selection";
import { Session, session } from "./state/session";
import { changeSettings, settings, theme, toggleTheme } from "./state/settings";
import { announcement, isDrawerOpen, isHelpOpen } from "./state/shell";
import { type Trace, withLearnt } from "./state/trace";
import { chosenHost, layout, openGroups } from "./state/tracks";
import { allGroups, carryOpen, defaultExpansion, filterHost } from "./state/tree";
import { bounds, scroll, view } from "./state/view";
import { type Direction, type Neighbour, neighbourOf } from "./timeline/navigate";
import { Stage } from "./timeline/stage";

/** Part of the view's width that one arrow key pans, and the factor of one zoom step. */
const PAN_STEP = 0.15;
const ZOOM_STEP = 0.6;

/** Free space beside what is zoomed to, as a part of the width. */
const FIT_PADDING = 0.12;
const RUN_PADDING = 0.02;
const NOMINAL_WIDTH_PX = 1000;

/** Tracks are learnt of tile by tile; the tree is made anew at most so often. */
const LEARN_MS = 60;

export class App implements AppActions {
  readonly stage = new Stage();
  /** Scrolls the tracks so that a height (of the layout) is visible; set by the timeline component. */
  reveal: (topPx: number, heightPx: number) => void = () => undefined;
  /** Scrolls the tracks to a height; set by the timeline component. */
  scrollTo: (topPx: number) => void = () => undefined;
  readonly #api = new Api(serverRoot(location.pathname));
  readonly #poller = new RunsPoller(() => this.#api.runs());
  readonly #opener = new RunOpener(
    this.#api,
    () => this.#poller.refresh(),
    (build, blocks) => this.#blocksBuilt(build, blocks),
  );
  readonly #address = new AddressKeeper();
  readonly #firstView = new FirstView();
  #details: DetailsLoader | null = null;
  /** Blocks of the growing build that can be had, also those that were told of before it was shown. */
  #built: { readonly build: string; readonly blocks: Set<number> } | null = null;
  /** The selected event, when it was gone to from afar. */
  #destination: Selection | null = null;
  #learntFacts: Map<number, LearntFacts> | null = null;

  start(): void {
    effect(() => {
      const list = runs.value;
      if (list !== null) untracked(() => this.#opener.follow(list));
    });
    const openTheOnlyRun = effect(() => {
      const list = runs.value;
      if (list === null) return;
      // Later, when the list is done with: to open a run is to look at the list once more.
      queueMicrotask(() => {
        openTheOnlyRun();
        const [only, ...others] = list;
        if (only !== undefined && others.length === 0 && this.#address.initial.run === null) this.openRun(only.id);
      });
    });
    effect(() => {
      const shown = runView.value;
      untracked(() => this.#showTrace(shown.kind === "open" ? shown.trace : null));
    });
    effect(() => {
      const chosen = selection.value;
      untracked(() => void this.#details?.follow(chosen));
    });
    effect(() => {
      const details = detailsView.value;
      if (details.kind !== "ready") return;
      untracked(() => {
        announcement.value = spoken(details.details);
        if (details.event === this.#destination) this.#arriveAt(details.details);
        else this.revealSelection();
      });
    });
    effect(() => {
      const shown = runView.value;
      const name = shown.kind === "open" ? shown.trace.manifest.name : runIdOf(shown);
      document.title = name === null ? "Tilescope" : `${name} – Tilescope`;
    });
    this.#address.connect((run) => this.#opener.open(run));
    this.#opener.open(this.#address.initial.run);
  }

  openRun(id: string | null): void {
    this.#address.forget();
    this.#opener.open(id);
    this.#address.push(id);
  }

  retryRun(id: string): void {
    void this.#opener.retry(id);
  }

  refreshRuns(): void {
    void this.#poller.refresh();
  }

  chooseHost(host: string | null): void {
    chosenHost.value = host;
    this.reveal(0, 0);
  }

  setOpenGroups(open: ReadonlySet<string>): void {
    openGroups.value = open;
  }

  expandAll(): void {
    const shown = runView.peek();
    if (shown.kind === "open") openGroups.value = allGroups(shown.trace.roots);
  }

  collapseAll(): void {
    openGroups.value = new Set();
  }

  select(chosen: Selection): void {
    selection.value = chosen;
    if (chosen.kind !== "none") isDrawerOpen.value = true;
  }

  goTo(track: number, ordinal: number): void {
    this.#destination = { kind: "event", track, ordinal };
    this.select(this.#destination);
  }

  showRunFacts(): void {
    selection.value = NOTHING;
    isDrawerOpen.value = true;
  }

  zoomToSelection(): void {
    const range = selectedRange.peek();
    if (range !== null) this.stage.motion.glideTo(this.#fitView(range));
  }

  /** Zooms to a range, or closer to a point of time where the range is empty. */
  zoomTo(range: TickRange): void {
    this.stage.motion.glideTo(this.#fitView(range));
  }

  /** Zooms in to a bin, so far that its events get room. */
  zoomToBin(bin: BinFacts): void {
    this.zoomTo({ startTicks: bin.startTicks, endTicks: ticks(bin.startTicks + bin.widthTicks) });
  }

  /** Scrolls the tracks so that the selected event's row, or the selected bin's, is on the screen. */
  revealSelection(): void {
    const chosen = selection.peek();
    if (chosen.kind === "event") {
      const details = detailsView.peek();
      this.#revealRow(chosen.track, details.kind === "ready" ? details.details.row : 0);
    } else if (chosen.kind === "bin") this.#revealRow(chosen.bin.track, chosen.bin.row);
  }

  act(intent: Intent): void {
    const { motion } = this.stage;
    const widthPx = view.peek().widthPx;
    switch (intent) {
      case "zoom-in":
      case "step-zoom-in":
        motion.zoomStep(ZOOM_STEP, this.stage.pointer?.xPx ?? widthPx / 2);
        return;
      case "zoom-out":
      case "step-zoom-out":
        motion.zoomStep(1 / ZOOM_STEP, this.stage.pointer?.xPx ?? widthPx / 2);
        return;
      case "pan-left":
        motion.panStep(-PAN_STEP * widthPx);
        return;
      case "pan-right":
        motion.panStep(PAN_STEP * widthPx);
        return;
      case "fit-run":
        busyPart.value = null;
        motion.glideTo(fit(bounds.peek(), widthPx, widthPx * RUN_PADDING));
        return;
      case "focus-selection":
        this.#focusSelection();
        return;
      case "previous-slice":
        this.#step("previous", -PAN_STEP);
        return;
      case "next-slice":
        this.#step("next", PAN_STEP);
        return;
      case "parent-slice":
        this.#step("parent", 0);
        return;
      case "child-slice":
        this.#step("child", 0);
        return;
      case "flow-back":
        this.#followFlow("in");
        return;
      case "flow-forward":
        this.#followFlow("out");
        return;
      case "slice-to-area":
        this.#sliceToArea();
        return;
      case "clear":
        this.#clear();
        return;
      case "toggle-drawer":
        isDrawerOpen.value = !isDrawerOpen.peek();
        return;
      case "toggle-grid":
        changeSettings({ grid: !settings.peek().grid });
        return;
      case "toggle-theme":
        toggleTheme();
        return;
      case "show-help":
        isHelpOpen.value = !isHelpOpen.peek();
        return;
    }
  }

  #blocksBuilt(build: string, blocks: readonly number[]): void {
    if (this.#built?.build !== build) this.#built = { build, blocks: new Set() };
    for (const block of blocks) this.#built.blocks.add(block);
    session.peek()?.built(build, blocks);
  }

  /** Takes what tiles tell of their tracks into the tree, several tiles at a time. */
  #learnt(facts: ReadonlyMap<number, LearntFacts>): void {
    const isFirst = this.#learntFacts === null;
    this.#learntFacts = new Map([...(this.#learntFacts ?? []), ...facts]);
    if (!isFirst) return;
    setTimeout(() => {
      const learnt = this.#learntFacts;
      this.#learntFacts = null;
      const shown = runView.peek();
      if (learnt !== null && shown.kind === "open" && shown.trace.manifest.state === "indexing") {
        runView.value = { kind: "open", trace: withLearnt(shown.trace, learnt) };
      }
    }, LEARN_MS);
  }

  /** The trace on the screen has grown: everything stays where it is. */
  #renewTrace(current: Session, trace: Trace): void {
    const before = current.trace;
    const layoutBefore = layOut(filterHost(before.roots, chosenHost.peek()), openGroups.peek());
    const anchor = anchorAt(layoutBefore, scroll.peek().topPx);
    const shift = shiftTicks(before, trace);
    const chosen = selection.peek();
    bounds.value = trace.manifest.range;
    view.value = renewedView(view.peek(), before, trace, view.peek().widthPx * RUN_PADDING);
    if (chosen.kind === "area" && shift !== 0n)
      selection.value = { ...chosen, range: shiftedRange(chosen.range, shift) };
    openGroups.value = carryOpen(before, trace, openGroups.peek(), defaultExpansion(trace.roots));
    current.renew(trace);
    if (this.#built?.build === trace.manifest.build) current.built(this.#built.build, [...this.#built.blocks]);
    const topPx = anchor === null ? null : scrollTo(layout.peek(), anchor);
    // The content gets its new height with the next rendering.
    if (topPx !== null && topPx !== scroll.peek().topPx) requestAnimationFrame(() => this.scrollTo(topPx));
    const isFinished = before.manifest.state === "indexing" && trace.manifest.state === "ready";
    if (isFinished) void this.#firstView.find(trace, (range) => this.#showFirst(trace.manifest.range, range));
  }

  #showTrace(trace: Trace | null): void {
    const current = session.peek();
    if (current !== null && trace?.manifest.run === current.trace.manifest.run) {
      if (trace.manifest.build === current.trace.manifest.build) {
        this.#renewTrace(current, trace);
        return;
      }
    }
    this.#firstView.forget();
    this.#details?.close();
    this.#details = null;
    session.peek()?.close();
    session.value = null;
    selection.value = NOTHING;
    selectedRange.value = null;
    if (trace === null) return;
    const wanted = this.#address.take(trace.manifest.run);
    bounds.value = trace.manifest.range;
    chosenHost.value = wanted?.host ?? null;
    openGroups.value = defaultExpansion(trace.roots);
    view.value = startView(trace.manifest.range, wanted?.range ?? null);
    const { api } = trace;
    this.#details = new DetailsLoader((track, ordinal, abort) => api.event(track, ordinal, abort));
    session.value = new Session(trace, theme.peek(), () => this.stage.invalidate(), {
      onMissingBlocks: (blocks) => this.#opener.wantBlocks(blocks),
      onLearnt: (facts) => this.#learnt(facts),
    });
    if (this.#built?.build === trace.manifest.build) session.value.built(this.#built.build, [...this.#built.blocks]);
    if (wanted?.range == null && trace.manifest.state === "ready")
      void this.#firstView.find(trace, (range) => this.#showFirst(trace.manifest.range, range));
    if (wanted?.event != null && trace.tracks.has(wanted.event.track)) {
      this.#openGroupsOf(trace, wanted.event.track);
      this.select({ kind: "event", ...wanted.event });
    } else if (wanted?.area != null) {
      const { firstTrack, lastTrack, ...range } = wanted.area;
      this.select({ kind: "area", range, firstTrack, lastTrack });
    }
  }

  /** Shows a part of the run, unless the user has begun to move. */
  #showFirst(run: TickRange, range: TickRange): void {
    const shown = visibleRange(view.peek());
    const isWhole = shown.startTicks <= run.startTicks && shown.endTicks >= run.endTicks;
    const { widthPx } = view.peek();
    if (isWhole) this.stage.motion.jumpTo(fit(range, widthPx, widthPx * RUN_PADDING));
    else busyPart.value = null;
  }

  /** Opens the groups around a track, so that it is on the screen. */
  #openGroupsOf(trace: Trace, track: number): void {
    const open = new Set(openGroups.peek());
    for (let id = trace.tracks.get(track)?.group ?? null; id !== null; id = trace.groups.get(id)?.parent ?? null) {
      open.add(`g${id}`);
    }
    openGroups.value = open;
  }

  #fitView(range: TickRange): View {
    const widthPx = view.peek().widthPx;
    if (range.endTicks > range.startTicks) return fit(range, widthPx, widthPx * FIT_PADDING);
    const closer = { ...view.peek(), ticksPerPx: view.peek().ticksPerPx / 8 };
    return centreOn(closer, range.startTicks, bounds.peek());
  }

  #focusSelection(): void {
    const range = selectedRange.peek();
    if (range === null) return;
    const middle = ticks((range.startTicks + range.endTicks) / 2n);
    const centred = centreOn(view.peek(), middle, bounds.peek());
    const isCentred = Math.abs(xOfTick(centred, visibleRange(view.peek()).startTicks)) < 2;
    this.stage.motion.glideTo(isCentred ? this.#fitView(range) : centred);
    this.revealSelection();
  }

  #revealRow(track: number, row: number): void {
    const found = layout
      .peek()
      .items.find(({ node }) => (node.kind === "track" ? node.track.id : node.rollup?.id) === track);
    if (found === undefined) return;
    if (found.kind === "group") this.reveal(found.topPx, found.heightPx);
    else this.reveal(found.topPx + row * ROW_PX, Math.min(found.heightPx, 2 * ROW_PX));
  }

  /** Goes along the first of the selected event's flows. */
  #followFlow(direction: "in" | "out"): void {
    const details = detailsView.peek();
    if (details.kind !== "ready") return;
    const [partner] = details.details.flows[direction];
    if (partner === undefined) {
      announcement.value = direction === "in" ? "No flow arrives here." : "No flow leaves from here.";
      return;
    }
    this.goTo(partner.track, Number(partner.ordinal));
  }

  #sliceToArea(): void {
    const chosen = selection.peek();
    const range = selectedRange.peek();
    if (chosen.kind !== "event" || range === null || range.endTicks === range.startTicks) return;
    this.select({ kind: "area", range, firstTrack: chosen.track, lastTrack: chosen.track });
  }

  #clear(): void {
    if (selection.peek().kind === "none") isDrawerOpen.value = false;
    selection.value = NOTHING;
  }

  #step(direction: Direction, panWithoutSelection: number): void {
    const chosen = selection.peek();
    if (chosen.kind !== "event") {
      if (panWithoutSelection !== 0) this.stage.motion.panStep(panWithoutSelection * view.peek().widthPx);
      return;
    }
    void this.#stepFrom(chosen.track, direction);
  }

  async #stepFrom(track: number, direction: Direction): Promise<void> {
    const details = detailsView.peek();
    const shown = runView.peek();
    const picture = this.stage.picture;
    if (details.kind !== "ready" || shown.kind !== "open" || picture === null) return;
    const { api } = shown.trace;
    const look = async (ordinal: number): Promise<Neighbour | null> => {
      try {
        const found = await api.event(track, ordinal);
        const endTicks = found.startTicks + found.durationTicks;
        return { ordinal, row: found.row, startTicks: found.startTicks, endTicks };
      } catch {
        return null;
      }
    };
    const { startTicks, durationTicks, row } = details.details;
    const from = { ordinal: details.event.ordinal, row, startTicks, endTicks: startTicks + durationTicks };
    const coverage = picture.coverages.get(track) ?? { draws: [], complete: false };
    const drawn = { coverage, range: visibleRange(picture.deviceView) };
    const found = await neighbourOf(from, direction, drawn, look);
    if (found === null || selection.peek() !== details.event) return;
    this.select({ kind: "event", track, ordinal: found.ordinal });
    this.#bringIntoView(found);
  }

  /** Opens the group of an event, scrolls to it, and goes to its time. */
  #arriveAt(details: EventDetails): void {
    const shown = runView.peek();
    if (shown.kind !== "open") return;
    const isLaidOut = layout.peek().items.some(({ node }) => node.kind === "track" && node.track.id === details.track);
    if (!isLaidOut) this.#openGroupsOf(shown.trace, details.track);
    const { startTicks, durationTicks } = details;
    this.#bringIntoView({ startTicks, endTicks: startTicks + durationTicks });
    // Where groups have been opened, the content gets its new height with the next rendering.
    if (isLaidOut) this.revealSelection();
    else requestAnimationFrame(() => this.revealSelection());
  }

  #bringIntoView(event: { readonly startTicks: bigint; readonly endTicks: bigint }): void {
    const shown = view.peek();
    const fromPx = xOfTick(shown, event.startTicks);
    const toPx = xOfTick(shown, event.endTicks);
    if (fromPx >= 0 && toPx <= shown.widthPx) return;
    if (fromPx < 0 && toPx > shown.widthPx) return;
    const middle = ticks((event.startTicks + event.endTicks) / 2n);
    const target = centreOn(shown, middle, bounds.peek());
    if (!sameView(target, shown)) this.stage.motion.glideTo(target);
  }
}

/** An event as a screen reader says it. */
function spoken({ name, durationTicks, row, startTicks }: EventDetails): string {
  const shown = runView.peek();
  if (shown.kind !== "open") return name;
  const { time } = shown.trace.manifest;
  return `${name}, ${formatDuration(durationTicks, time.tickPs)}, row ${row}, at ${formatDuration(startTicks, time.tickPs)}`;
}

/** The first view of a run, of a nominal width: the timeline fits the same range when it knows its own. */
function startView(run: TickRange, wanted: TickRange | null): View {
  return wanted === null ? fit(run, NOMINAL_WIDTH_PX, NOMINAL_WIDTH_PX * RUN_PADDING) : fit(wanted, NOMINAL_WIDTH_PX);
}
