/**
 * The application: ties the state, the stage and the server together, and does what the user asks for.
 */

import { effect, untracked } from "@preact/signals";
import { Api, type EventDetails, fit, formatDuration, type TickRange, type View } from "@tilescope/client";
import type { AppActions } from "./components/app-context";
import { Guide } from "./guide";
import type { Intent } from "./keys/table";
import { AddressKeeper } from "./state/address";
import { DetailsLoader, detailsView } from "./state/details";
import { busyPart, FirstView } from "./state/first-view";
import { layOut } from "./state/layout";
import type { LearntFacts } from "./state/learnt";
import { serverRoot } from "./state/location";
import { anchorAt, renewedView, scrollTo, shiftedRange, shiftTicks } from "./state/renew";
import { RunOpener, runIdOf, runView } from "./state/run";
import { RunsPoller, runs } from "./state/runs";
import { NOTHING, selectedRange, selection } from "./state/selection";
import { Session, session } from "./state/session";
import { changeSettings, settings, theme, toggleTheme } from "./state/settings";
import { announcement, isDrawerOpen, isHelpOpen } from "./state/shell";
import { type Trace, withLearnt } from "./state/trace";
import { chosenHost, layout, openGroups } from "./state/tracks";
import { allGroups, carryOpen, defaultExpansion, filterHost } from "./state/tree";
import { bounds, RUN_PADDING, scroll, view, wholeView } from "./state/view";
import { Stage } from "./timeline/stage";

/** Part of the view's width that one arrow key pans, and the factor of one zoom step. */
const PAN_STEP = 0.15;
const ZOOM_STEP = 0.6;

const NOMINAL_WIDTH_PX = 1000;

/** Tracks are learnt of tile by tile; the tree is made anew at most so often. */
const LEARN_MS = 60;

export class App implements AppActions {
  readonly stage = new Stage();
  readonly guide = new Guide(this.stage);
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
  #learntFacts: Map<number, LearntFacts> | null = null;

  start(): void {
    effect(() => {
      const list = runs.value;
      if (list !== null) {
        untracked(() => this.#opener.follow(list));
      }
    });
    const openTheOnlyRun = effect(() => {
      const list = runs.value;
      if (list === null) {
        return;
      }
      // Later, when the list is done with: to open a run is to look at the list once more.
      queueMicrotask(() => {
        openTheOnlyRun();
        const [only, ...others] = list;
        if (only !== undefined && others.length === 0 && this.#address.initial.run === null) {
          this.openRun(only.id);
        }
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
      if (details.kind !== "ready") {
        return;
      }
      untracked(() => {
        announcement.value = spoken(details.details);
        this.guide.arrive(details.event, details.details);
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
    this.guide.reveal(0, 0);
  }

  setOpenGroups(open: ReadonlySet<string>): void {
    openGroups.value = open;
  }

  expandAll(): void {
    const shown = runView.peek();
    if (shown.kind === "open") {
      openGroups.value = allGroups(shown.trace.roots);
    }
  }

  collapseAll(): void {
    openGroups.value = new Set();
  }

  showRunFacts(): void {
    selection.value = NOTHING;
    isDrawerOpen.value = true;
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
        motion.glideTo(wholeView(bounds.peek(), widthPx));
        return;
      case "focus-selection":
        this.guide.focusSelection();
        return;
      case "previous-slice":
        this.guide.step("previous", -PAN_STEP);
        return;
      case "next-slice":
        this.guide.step("next", PAN_STEP);
        return;
      case "parent-slice":
        this.guide.step("parent", 0);
        return;
      case "child-slice":
        this.guide.step("child", 0);
        return;
      case "flow-back":
        this.guide.followFlow("in");
        return;
      case "flow-forward":
        this.guide.followFlow("out");
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
    if (this.#built?.build !== build) {
      this.#built = { build, blocks: new Set() };
    }
    for (const block of blocks) {
      this.#built.blocks.add(block);
    }
    session.peek()?.built(build, blocks);
  }

  /** Takes what tiles tell of their tracks into the tree, several tiles at a time. */
  #learnt(facts: ReadonlyMap<number, LearntFacts>): void {
    const isFirst = this.#learntFacts === null;
    this.#learntFacts = new Map([...(this.#learntFacts ?? []), ...facts]);
    if (!isFirst) {
      return;
    }
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
    if (chosen.kind === "area" && shift !== 0n) {
      selection.value = { ...chosen, range: shiftedRange(chosen.range, shift) };
    }
    openGroups.value = carryOpen(before, trace, openGroups.peek(), defaultExpansion(trace.roots));
    current.renew(trace);
    if (this.#built?.build === trace.manifest.build) {
      current.built(this.#built.build, [...this.#built.blocks]);
    }
    const topPx = anchor === null ? null : scrollTo(layout.peek(), anchor);
    // The content gets its new height with the next rendering.
    if (topPx !== null && topPx !== scroll.peek().topPx) {
      requestAnimationFrame(() => this.scrollTo(topPx));
    }
    const isFinished = before.manifest.state === "indexing" && trace.manifest.state === "ready";
    if (isFinished) {
      void this.#firstView.find(trace, (range) => this.guide.showFirst(trace.manifest.range, range));
    }
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
    if (trace === null) {
      return;
    }
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
    if (this.#built?.build === trace.manifest.build) {
      session.value.built(this.#built.build, [...this.#built.blocks]);
    }
    if (wanted?.range == null && trace.manifest.state === "ready") {
      void this.#firstView.find(trace, (range) => this.guide.showFirst(trace.manifest.range, range));
    }
    if (wanted?.event != null && trace.tracks.has(wanted.event.track)) {
      this.guide.openGroupsOf(trace, wanted.event.track);
      this.guide.select({ kind: "event", ...wanted.event });
    } else if (wanted?.area != null) {
      const { firstTrack, lastTrack, ...range } = wanted.area;
      this.guide.select({ kind: "area", range, firstTrack, lastTrack });
    }
  }

  #sliceToArea(): void {
    const chosen = selection.peek();
    const range = selectedRange.peek();
    if (chosen.kind !== "event" || range === null || range.endTicks === range.startTicks) {
      return;
    }
    this.guide.select({ kind: "area", range, firstTrack: chosen.track, lastTrack: chosen.track });
  }

  #clear(): void {
    if (selection.peek().kind === "none") {
      isDrawerOpen.value = false;
    }
    selection.value = NOTHING;
  }
}

/** An event as a screen reader says it. */
function spoken({ name, durationTicks, row, startTicks }: EventDetails): string {
  const shown = runView.peek();
  if (shown.kind !== "open") {
    return name;
  }
  const { time } = shown.trace.manifest;
  return `${name}, ${formatDuration(durationTicks, time.tickPs)}, row ${row}, at ${formatDuration(startTicks, time.tickPs)}`;
}

/** The first view of a run, of a nominal width: the timeline fits the same range when it knows its own. */
function startView(run: TickRange, wanted: TickRange | null): View {
  return wanted === null ? wholeView(run, NOMINAL_WIDTH_PX) : fit(wanted, NOMINAL_WIDTH_PX);
}
