/** Brings the view to what one asks for: a range, the selection, its neighbours, where its flows lead. */

import { centreOn, type EventDetails, sameView, type TickRange, ticks, visibleRange, xOfTick } from "@tilescope/client";
import { layoutItem, ROW_PX } from "../state/layout";
import type { Pane } from "../state/pane";
import type { BinFacts, Selection } from "../state/selection";
import { announcement, failure } from "../state/shell";
import { allTracks, type Trace } from "../state/trace";
import { show } from "../state/track-choice";
import { trackKey } from "../state/track-keys";
import { openAll, setFilter } from "../state/tracks";
import { groupsAround } from "../state/tree";
import { wholeView } from "../state/view";
import type { EdgeHint } from "./edge-hints";
import { fitView, focusView } from "./focus";
import type { Direction, Neighbour } from "./navigate";
import type { Stage } from "./stage";
import type { StepPort, Steps } from "./steps";

/** Loads the walk from slice to slice by keys with the first such key. */
const loadWalk = () => import("./walk");

/** The scrolling box of the tracks. */
export interface TracksBox {
  /** Scrolls so that a part of the layout is visible. */
  reveal(topPx: number, heightPx: number, isPinned?: boolean): void;
  /** Scrolls so that a part of the layout is in the upper third, as far as there is something below it. */
  raise(topPx: number, heightPx: number, isPinned?: boolean): void;
  /** Scrolls to a height of the layout. */
  scrollTo(topPx: number): void;
}

export class ViewNavigator {
  readonly #stage: Stage;
  /** Null while another page is shown. */
  #box: TracksBox | null = null;
  /** Action for when the tracks are shown. */
  #onceShown: (() => void) | null = null;
  /** The selected event, when it was gone to from afar, and the time that is shown around it. */
  #destination: { readonly event: Selection; readonly span: TickRange | null } | null = null;
  /** Selection to be centred when its position is known. */
  #focusWanted: Selection | null = null;
  /** True while the tracks stand where an address has them: what is selected is not scrolled to. */
  #isPlaced = false;
  #steps: Steps | null = null;
  /** Steps by keys that have not been taken yet. */
  stepsUnderWay = 0;
  /** Ends the search for a neighbour that is under way. */
  #abort = new AbortController();

  /** The view is about to go far away, to where Back should not go on from. */
  onJump: () => void = () => undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get pane(): Pane {
    return this.#stage.pane;
  }

  /** To be called when the tracks are shown; returns what is to be called when they are not any more. */
  attach(box: TracksBox): () => void {
    this.#box = box;
    const late = this.#onceShown;
    this.#onceShown = null;
    late?.();
    return () => {
      this.#box = null;
    };
  }

  reveal(topPx: number, heightPx: number, isPinned = false): void {
    this.#box?.reveal(topPx, heightPx, isPinned);
  }

  scrollTo(topPx: number): void {
    this.#box?.scrollTo(topPx);
  }

  /** Scrolls to where an address has the tracks, when they are shown; `topPx` is asked then, and null where that is not known. */
  place(topPx: () => number | null): void {
    this.#isPlaced = true;
    // What has been opened or closed gets its height with the next rendering.
    requestAnimationFrame(() => this.#whenShown(() => this.#box?.scrollTo(topPx() ?? 0)));
  }

  /** Selects something, and shows what is known of it. */
  select(chosen: Selection): void {
    this.startAnew();
    this.#isPlaced = false;
    this.pane.selection.value = chosen;
    if (chosen.kind !== "none") {
      this.pane.isMarksOpen.value = false;
      this.pane.isDrawerOpen.value = true;
    }
  }

  /** Selects what an address has, which is scrolled to unless that says where the tracks stand. */
  selectInPlace(chosen: Selection): void {
    const isPlaced = this.#isPlaced;
    this.select(chosen);
    this.#isPlaced = isPlaced;
    this.revealSelection();
  }

  /** Selects an event that may be far away, and goes there: to a span of time around it, where there is one. */
  goTo(track: number, ordinal: number, span: TickRange | null = null): void {
    const event: Selection = { kind: "event", track, ordinal };
    this.#destination = { event, span };
    this.select(event);
    if (span !== null) {
      this.zoomTo(span);
    }
  }

  /** Goes to the event that a hint tells of, or to the time of it where the hint is of a whole group. */
  goToHint({ track: { track }, end, atTicks, ordinal }: EdgeHint): void {
    if (track.kind === "rollup") {
      this.#stage.motion.glideTo(
        centreOn(this.pane.view.peek(), atTicks ?? this.pane.view.peek().startTicks, this.pane.bounds.peek()),
      );
    } else if (end === "first" || end === "last") {
      this.goTo(track.id, end === "first" ? 0 : Number(track.events) - 1);
    } else if (ordinal !== null) {
      this.goTo(track.id, ordinal);
    } else {
      void this.walk((port, walk) => walk.goBeside(port, track.id, end, visibleRange(this.pane.view.peek())));
    }
  }

  /** Goes to a span of time and selects it, to a track, or to both. */
  goToPlace(trace: Trace, span: TickRange | null, track: number | null): void {
    if (span !== null) {
      this.select({ kind: "area", range: span, tracks: track === null ? allTracks(trace) : new Set([track]) });
      this.zoomTo(span);
    }
    if (track !== null) {
      this.#layOut(trace, track);
      this.#whenShown(() => this.#showRow(track, 0, span === null ? "reveal" : "raise"));
    }
  }

  /** Goes to the selected event, now that it is known where it lies, if it was gone to from afar. */
  arrive(event: Selection, details: EventDetails): void {
    if (event === this.#destination?.event) {
      this.#arriveAt(details, this.#destination.span);
    } else if (event === this.#focusWanted) {
      this.#focusWanted = null;
      this.focusSelection();
    } else {
      this.revealSelection();
    }
  }

  /** Zooms to a range, or closer to a point of time where the range is empty. */
  zoomTo(range: TickRange): void {
    this.onJump();
    const target = fitView(this.pane.view.peek(), range, this.pane.bounds.peek());
    // Nobody sees a glide behind another page.
    if (this.#box === null) {
      this.#stage.motion.jumpTo(target);
    } else {
      this.#stage.motion.glideTo(target);
    }
  }

  zoomToSelection(): void {
    const range = this.pane.selectedRange.peek();
    if (range !== null) {
      this.zoomTo(range);
    }
  }

  /** Zooms in to a bin, so far that its events get room. */
  zoomToBin(bin: BinFacts): void {
    this.zoomTo({ startTicks: bin.startTicks, endTicks: ticks(bin.startTicks + bin.widthTicks) });
  }

  /** Centres the selection; zooms to it when it is there already, or as near as it gets. */
  focusSelection(): void {
    this.#isPlaced = false;
    const range = this.pane.selectedRange.peek();
    if (range === null) {
      // As soon as it is known when the selected event is.
      const chosen = this.pane.selection.peek();
      this.#focusWanted = chosen.kind === "event" ? chosen : null;
      return;
    }
    this.onJump();
    this.#stage.motion.glideTo(focusView(this.pane.view.peek(), range, this.pane.bounds.peek()));
    this.revealSelection();
  }

  /** Shows a part of the run, unless the user has begun to move. */
  showFirst(run: TickRange, range: TickRange): void {
    const shown = visibleRange(this.pane.view.peek());
    const isWhole = shown.startTicks <= run.startTicks && shown.endTicks >= run.endTicks;
    const { widthPx } = this.pane.view.peek();
    if (isWhole) {
      this.#stage.motion.jumpTo(wholeView(range, widthPx));
    } else {
      this.pane.busyPart.value = null;
    }
  }

  /** Scrolls the tracks so that the selected event's row, or the selected bin's, is on the screen. */
  revealSelection(): void {
    if (!this.#isPlaced) {
      this.#showSelection("reveal");
    }
  }

  /** Opens the groups around a track, so that it is on the screen. */
  openGroupsOf(trace: Trace, track: number): void {
    openAll(this.pane, groupsAround(trace, trackKey(track)));
  }

  /** Scrolls to a track or group, which may have to be shown for that. */
  revealNode(trace: Trace, key: string): void {
    const reveal = (): void => {
      const item = layoutItem(this.pane.layout.peek(), key);
      if (item !== null) {
        this.#box?.reveal(item.topPx, item.heightPx, item.isPinned);
      }
    };
    showNode(this.pane, trace, key);
    // What has been shown gets its place with the next rendering.
    requestAnimationFrame(() => this.#whenShown(reveal));
  }

  /** Selects a neighbour of the selected slice or bin, or pans by a part of the width while none is selected. */
  step(direction: Direction, panWithoutSelection: number): void {
    const { kind } = this.pane.selection.peek();
    if (kind === "bin" || kind === "event" || this.stepsUnderWay > 0) {
      void this.walk((port, walk) => walk.stepFrom(this.#stage, port, direction));
    } else if (panWithoutSelection !== 0) {
      this.#stage.motion.panStep(panWithoutSelection * this.pane.view.peek().widthPx);
    }
  }

  /** Selects the first slice in view: of a track or group, else of the first track on the screen that has one. */
  enter(key: string | null): void {
    void this.walk((port, walk) => walk.enter(port, key));
  }

  /** Selects what is drawn first in view, a bin or a slice: of a track or group, else of the first track that has something. */
  enterDrawn(key: string | null): void {
    void this.walk((port, walk) => walk.enterDrawn(this.#stage, port, key));
  }

  /** Takes a step from what is selected, when all earlier steps are taken. Never rejects. */
  async walk(step: (port: StepPort, walk: typeof import("./walk")) => void | Promise<void>): Promise<void> {
    this.stepsUnderWay++;
    try {
      const walk = await loadWalk();
      this.#steps ??= new walk.Steps(this);
      await this.#steps.add((port) => step(port, walk));
    } catch (error) {
      failure.value = `This key could not be carried out: ${reasonOf(error)}`;
    }
    this.stepsUnderWay--;
  }

  /** Another key, another selection: what was looked for is not wanted any more. The signal ends what is looked for now. */
  startAnew(): AbortSignal {
    this.#abort.abort();
    this.#abort = new AbortController();
    failure.value = "";
    announcement.value = "";
    return this.#abort.signal;
  }

  /** Selects an event of which it is known when it was recorded, and shows it. */
  show(track: number, event: Neighbour): void {
    this.select({ kind: "event", track, ordinal: event.ordinal });
    this.#bringIntoView(track, event);
  }

  #showSelection(way: "reveal" | "raise"): void {
    const chosen = this.pane.selection.peek();
    if (chosen.kind === "event") {
      const details = this.pane.detailsView.peek();
      this.#showRow(chosen.track, details.kind === "ready" ? details.details.row : 0, way);
    } else if (chosen.kind === "bin") {
      this.#showRow(chosen.bin.track, chosen.bin.row, way);
    }
  }

  #showRow(track: number, row: number, way: "reveal" | "raise"): void {
    const item = this.pane.layout
      .peek()
      .items.find(({ node }) => (node.kind === "track" ? node.track.id : node.rollup?.id) === track);
    if (item === undefined) {
      return;
    }
    if (item.kind === "group") {
      this.#box?.[way](item.topPx, item.heightPx, item.isPinned);
    } else {
      this.#box?.[way](item.topPx + row * ROW_PX, Math.min(item.heightPx, 2 * ROW_PX), item.isPinned);
    }
  }

  /** Opens the group of an event, scrolls to it, and goes to its time. */
  #arriveAt(details: EventDetails, span: TickRange | null): void {
    const shown = this.pane.runView.peek();
    if (shown.kind !== "open") {
      return;
    }
    const isLaidOut = this.#layOut(shown.trace, details.track);
    const { startTicks, durationTicks } = details;
    if (span === null) {
      this.#bringIntoView(details.track, { startTicks, endTicks: startTicks + durationTicks });
    }
    const scroll = () => this.#showSelection(span === null ? "reveal" : "raise");
    // Where groups have been opened, the content gets its new height with the next rendering.
    if (isLaidOut) {
      this.#whenShown(scroll);
    } else {
      requestAnimationFrame(() => this.#whenShown(scroll));
    }
  }

  /** Has a track laid out; true if it was. */
  #layOut(trace: Trace, track: number): boolean {
    if (isLaidOut(this.pane, trackKey(track))) {
      return true;
    }
    showNode(this.pane, trace, trackKey(track));
    return false;
  }

  /** Does something with the tracks: now, or when they are shown again. */
  #whenShown(act: () => void): void {
    if (this.#box === null) {
      this.#onceShown = act;
    } else {
      act();
    }
  }

  /** `event`: times that were recorded. */
  #bringIntoView(track: number, event: { readonly startTicks: bigint; readonly endTicks: bigint }): void {
    const shown = this.pane.view.peek();
    const shiftTicks = this.pane.shifts.peek()?.later(track) ?? 0n;
    const fromPx = xOfTick(shown, event.startTicks + shiftTicks);
    const toPx = xOfTick(shown, event.endTicks + shiftTicks);
    if (fromPx >= 0 && toPx <= shown.widthPx) {
      return;
    }
    if (fromPx < 0 && toPx > shown.widthPx) {
      return;
    }
    const middle = ticks((event.startTicks + event.endTicks) / 2n + shiftTicks);
    const target = centreOn(shown, middle, this.pane.bounds.peek());
    if (!sameView(target, shown)) {
      this.#stage.motion.glideTo(target);
    }
  }
}

function isLaidOut(pane: Pane, key: string): boolean {
  return layoutItem(pane.layout.peek(), key) !== null;
}

/** Has a node laid out, with as little change as it takes: open groups, nothing hidden around it, no filter, all hosts. */
function showNode(pane: Pane, trace: Trace, key: string): void {
  const around = groupsAround(trace, key);
  const changes = [
    () => openAll(pane, around),
    () => {
      pane.trackChoice.value = show(pane.trackChoice.peek(), [key, ...around]);
    },
    () => setFilter(pane, ""),
    () => {
      pane.chosenHost.value = null;
    },
    () => {
      pane.trackChoice.value = { ...pane.trackChoice.peek(), showsEmpty: true };
    },
  ];
  for (const change of changes) {
    if (isLaidOut(pane, key)) {
      return;
    }
    change();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
