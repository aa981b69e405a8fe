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
import { ROW_PX } from "./state/layout";
import { serverRoot } from "./state/location";
import { RunOpener, runIdOf, runView } from "./state/run";
import { RunsPoller, runs } from "./state/runs";
import { type BinFacts, NOTHING, type Selection, selectedRange, selection } from "./state/selection";
import { Session, session } from "./state/session";
import { changeSettings, settings, theme, toggleTheme } from "./state/settings";
import { announcement, isDrawerOpen, isHelpOpen } from "./state/shell";
import type { Trace } from "./state/trace";
import { chosenHost, layout, openGroups } from "./state/tracks";
import { allGroups, defaultExpansion } from "./state/tree";
import { bounds, view } from "./state/view";
import { type Direction, type Neighbour, neighbourOf } from "./timeline/navigate";
import { Stage } from "./timeline/stage";

/** Part of the view's width that one arrow key pans, and the factor of one zoom step. */
const PAN_STEP = 0.15;
const ZOOM_STEP = 0.6;

/** Free space beside what is zoomed to, as a part of the width. */
const FIT_PADDING = 0.12;
const RUN_PADDING = 0.02;
const NOMINAL_WIDTH_PX = 1000;

export class App implements AppActions {
  readonly stage = new Stage();
  /** Scrolls the tracks so that a height (of the layout) is visible; set by the timeline component. */
  reveal: (topPx: number, heightPx: number) => void = () => undefined;
  readonly #api = new Api(serverRoot(location.pathname));
  readonly #poller = new RunsPoller(() => this.#api.runs());
  readonly #opener = new RunOpener(this.#api, () => this.#poller.refresh());
  readonly #address = new AddressKeeper();
  readonly #firstView = new FirstView();
  #details: DetailsLoader | null = null;

  start(): void {
    effect(() => {
      const list = runs.value;
      if (list !== null) untracked(() => this.#opener.follow(list));
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
      announcement.value = untracked(() => spoken(details.details));
      untracked(() => this.revealSelection());
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

  #showTrace(trace: Trace | null): void {
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
    session.value = new Session(trace, theme.peek(), () => this.stage.invalidate());
    if (wanted?.range == null)
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

  #bringIntoView(event: Neighbour): void {
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
