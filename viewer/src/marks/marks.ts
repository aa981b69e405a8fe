/** Marks on the timeline, the tools in the hand, and slices that are picked one by one. */

import { effect, untracked } from "@preact/signals";
import { fetchMarks, putMarks, type TickRange, type Ticks, ticks, zoomAt } from "@tilescope/client";
import type { AppActions } from "../components/app-context";
import { copyText } from "../components/clipboard";
import type { ToolMode } from "../keys/gestures";
import { keysOf, type LateIntent } from "../keys/table";
import { copyLink } from "../state/address-writer";
import { retries } from "../state/link";
import { MOST_EVENTS } from "../state/location";
import type { Pane } from "../state/pane";
import { bindPart } from "../state/part-text";
import { shiftTicks } from "../state/renew";
import { NOTHING, type Selection, tracksOf } from "../state/selection";
import type { Session } from "../state/session";
import { changeSettings } from "../state/settings";
import { announcement, failure, showNotice } from "../state/shell";
import { hasWallClock, timeFormat, timeText } from "../state/time-format";
import { toolMode } from "../state/tool-mode";
import { allTracks, type Trace } from "../state/trace";
import { snappedTicks } from "../timeline/area";
import type { CanvasTheme } from "../timeline/canvas-theme";
import type { TimelineExtension } from "../timeline/extension";
import { followFlow } from "../timeline/flow-walk";
import type { PointerMeaning, PointerSample } from "../timeline/gesture-tracker";
import { stepOfName } from "../timeline/name-walk";
import type { Picture } from "../timeline/picture";
import { pointedAt, selectionOf } from "../timeline/pointing";
import { type SliceStep, sayWhyNot, whenKnown } from "../timeline/steps";
import { MarkKeeper } from "./keeper";
import { connectLane } from "./lane";
import { isSameRange, makeMark, rangeOf, titleOf } from "./mark";
import { MarkCollection, type ShownMark } from "./mark-collection";
import { flagAt, flagsOf, paintLane, paintThrough } from "./paint";
import { paintMeasured, paintMeasuredOnAxis, paintReady } from "./paint-timing";
import { followPicked, toggled } from "./picking";
import { collection, NO_CLOCK, point } from "./shown";
import {
  fixedEnd,
  isBeside,
  type Measured,
  measured,
  measuredText,
  measureText,
  parseMeasured,
  spanOf,
} from "./timing";

/** Range that M would mark, and its tracks. */
interface Markable {
  readonly range: TickRange;
  readonly tracks: readonly number[];
}

const TOOLS: Readonly<Partial<Record<LateIntent, readonly [ToolMode, string]>>> = {
  "select-tool": ["select", "A drag selects a time range."],
  "pan-tool": ["pan", "A drag pans."],
  "zoom-tool": ["zoom", "A drag up zooms in, a drag down zooms out."],
  "timing-tool": ["timing", "A drag measures time, a click measures a slice."],
};

/** So many pixels up or down zoom by a factor of two. */
const ZOOM_PX = 60;

const FORMAT_WORDS = { relative: "since the start", ticks: "in ticks of the trace", utc: "in UTC" } as const;

export class Marks implements TimelineExtension {
  readonly #pane: Pane;
  readonly #app: AppActions;
  #trace: Trace | null = null;

  constructor(app: AppActions) {
    this.#app = app;
    this.#pane = app.pane;
    const { stage } = app;
    stage.extension = this;
    effect(() => {
      const current = this.#pane.session.value;
      untracked(() => this.#show(current));
    });
    effect(() => {
      if (retries.value > 0) {
        untracked(() => void collection(this.#pane).peek()?.keeper.load());
      }
    });
    // What others have marked is looked at when the list is opened, too.
    effect(() => {
      if (this.#pane.isMarksOpen.value) {
        untracked(() => void collection(this.#pane).peek()?.keeper.load());
      }
    });
    bindPart(
      this.#pane.parts,
      "measure",
      () => measuredText(this.#pane),
      (text) => {
        measured(this.#pane).value = parseMeasured(text);
        return text === null || measured(this.#pane).peek() !== null;
      },
    );
    let wasBlank = true;
    effect(() => {
      for (const source of [measured(this.#pane), toolMode, this.#pane.marksLanePx]) {
        void source.value;
      }
      void collection(this.#pane).value?.all.value;
      void collection(this.#pane).value?.current.value;
      // Nothing is painted to show that there is nothing.
      if (!(wasBlank && this.isBlank)) {
        stage.loop.invalidate();
      }
      wasBlank = this.isBlank;
    });
    // Delete is for the mark that one has just made or pointed out, not for one of long ago.
    effect(() => {
      if (this.#pane.selection.value.kind !== "none") {
        untracked(() => {
          const shown = collection(this.#pane).peek();
          if (shown !== null) {
            shown.current.value = null;
          }
        });
      }
    });
    addEventListener("pointermove", () => {
      if (toolMode.peek() === "timing") {
        stage.loop.invalidate();
      }
    });
    connectLane(this.#pane, {
      flagAt: (xPx) => this.#flagAt(xPx),
      textOf: (mark) => this.#textOf(mark),
      select: (mark) => this.#trace !== null && point(app, this.#trace, mark),
      zoomTo: (mark) => app.viewNavigator.zoomTo(rangeOf(mark)),
    });
  }

  act(intent: LateIntent): void {
    failure.value = "";
    const tool = TOOLS[intent];
    if (tool !== undefined) {
      this.use(...tool);
      return;
    }
    const walk = (step: SliceStep) => void this.#app.viewNavigator.walk(step);
    const handlers: Readonly<Partial<Record<LateIntent, () => void>>> = {
      "flow-back": () => walk((port) => followFlow(port, "in")),
      "flow-forward": () => walk((port) => followFlow(port, "out")),
      "previous-of-name": () => walk((port) => stepOfName(port, "previous")),
      "next-of-name": () => walk((port) => stepOfName(port, "next")),
      mark: () => whenKnown(this.#app.viewNavigator, () => this.#mark()),
      "keep-mark": () => whenKnown(this.#app.viewNavigator, () => this.#keep()),
      "remove-mark": () => this.#remove(),
      "toggle-marks": () => {
        this.#pane.isMarksOpen.value = !this.#pane.isMarksOpen.peek();
      },
      "time-format": () => this.#nextFormat(),
      "copy-link": () => void this.copyLink(),
    };
    handlers[intent]?.();
  }

  use(tool: ToolMode, words: string): void {
    toolMode.value = tool;
    announcement.value = words;
  }

  async copyLink(): Promise<void> {
    try {
      await copyLink(this.#app.mainPane, copyText);
    } catch {
      sayWhyNot("The browser does not let this page copy: the link is in its address bar.");
    }
  }

  // -- what the timeline asks for --

  take(meaning: PointerMeaning): void {
    const { picture } = this.#app.stage;
    if (picture === null) {
      return;
    }
    if (meaning.kind !== "click") {
      this.#drag(picture, meaning);
      return;
    }
    const { xPx, yPx } = meaning.point;
    const chosen = selectionOf(pointedAt(picture, xPx, yPx));
    if (meaning.gesture === "measure-event") {
      const before = measured(this.#pane).peek();
      if (chosen.kind === "event" || chosen.kind === "bin") {
        this.#measure(this.#measureWhat(picture, meaning.point));
      } else if (before !== null && isBeside(before.range, picture.view, xPx)) {
        this.#measure(null);
      }
    } else {
      this.#add(chosen);
    }
  }

  isEdgeAt({ xPx }: PointerSample): boolean {
    const span = measured(this.#pane).peek();
    const tool = toolMode.peek();
    return (
      span !== null &&
      (tool === "timing" || tool === "select") &&
      fixedEnd(span.range, this.#pane.view.peek(), xPx) !== null
    );
  }

  clear(): boolean {
    if (measured(this.#pane).peek() !== null) {
      measured(this.#pane).value = null;
      return true;
    }
    const shown = collection(this.#pane).peek();
    if (shown?.currentMark.peek() != null) {
      shown.current.value = null;
      return true;
    }
    return false;
  }

  get isBlank(): boolean {
    return measured(this.#pane).peek() === null && toolMode.peek() !== "timing" && this.#pane.marksLanePx.peek() === 0;
  }

  paintOver(context: CanvasRenderingContext2D, picture: Picture, theme: CanvasTheme): void {
    const shown = collection(this.#pane).peek();
    if (shown !== null && this.#pane.marksLanePx.peek() > 0) {
      paintThrough(context, picture, flagsOf(shown.all.peek(), picture.view), shown.current.peek());
    }
    const { pointer } = this.#app.stage;
    const span = measured(this.#pane).peek();
    if (span !== null && this.#trace !== null) {
      paintMeasured(context, picture, span, this.#trace.manifest.time.tickPs, theme);
    } else if (toolMode.peek() === "timing" && pointer !== null) {
      paintReady(context, picture, snappedTicks(picture, { ...pointer, timeMs: 0 }), theme);
    }
  }

  paintOnAxis(context: CanvasRenderingContext2D, { view: shown }: Picture, theme: CanvasTheme): void {
    const marks = collection(this.#pane).peek();
    const heightPx = this.#pane.marksLanePx.peek();
    const topPx = context.canvas.clientHeight - heightPx;
    const tickPs = this.#trace?.manifest.time.tickPs ?? 1;
    const span = measured(this.#pane).peek();
    if (span !== null) {
      paintMeasuredOnAxis(context, shown, span.range, topPx, tickPs, theme);
    }
    if (marks !== null && heightPx > 0) {
      const flags = flagsOf(marks.all.peek(), shown);
      paintLane(context, { flags, current: marks.current.peek(), view: shown, topPx, heightPx, tickPs, theme });
    }
  }

  // -- insides --

  #show(current: Session | null): void {
    const trace = current?.trace ?? null;
    collection(this.#pane).peek()?.close();
    collection(this.#pane).value = null;
    measured(this.#pane).value = null;
    this.#stopPicking();
    this.#trace = trace;
    if (trace !== null) {
      // A run that grows stays in its session, which has another trace then.
      const api = () => this.#pane.session.peek()?.trace.api ?? trace.api;
      const keeper = new MarkKeeper({
        load: () => fetchMarks(api()),
        save: (marks, etag) => putMarks(api(), marks, etag),
      });
      collection(this.#pane).value = new MarkCollection(this.#pane, trace, keeper);
      this.#pane.areMarksKnown.value = false;
      void keeper.load().then(() => {
        this.#pane.areMarksKnown.value ||= collection(this.#pane).peek()?.keeper === keeper;
      });
      this.#stopPicking = followPicked(this.#pane, {
        event: (track, ordinal, signal) => api().event(track, ordinal, signal),
      });
    }
  }

  #stopPicking: () => void = () => undefined;
  /** While one measures: the end that stays. */
  #fixedTicks: Ticks = ticks(0);

  /** The run on the screen has grown. */
  renew(trace: Trace): void {
    if (this.#trace !== null && trace !== this.#trace) {
      const shift = shiftTicks(this.#trace, trace);
      collection(this.#pane).peek()?.renew(trace, shift);
      const span = measured(this.#pane).peek();
      if (span !== null && shift !== 0n) {
        const { startTicks, endTicks } = span.range;
        measured(this.#pane).value = {
          ...span,
          range: { startTicks: ticks(startTicks + shift), endTicks: ticks(endTicks + shift) },
        };
      }
      this.#trace = trace;
    }
  }

  #drag(picture: Picture, { gesture, from, to, ...rest }: Exclude<PointerMeaning, { kind: "click" }>): void {
    if (gesture === "measure") {
      const span = measured(this.#pane).peek();
      if (rest.kind === "drag-start") {
        this.#fixedTicks =
          (span === null ? null : fixedEnd(span.range, picture.view, from.xPx)) ?? this.#timeAt(picture, from);
      }
      this.#measure({ range: spanOf(this.#fixedTicks, this.#timeAt(picture, to)), yPx: to.yPx });
      if (rest.kind === "drag-end" && this.#trace !== null) {
        announcement.value = measureText(measured(this.#pane).peek()!.range, this.#trace.manifest.time.tickPs);
      }
    } else if (gesture === "zoom-by-height" && rest.kind !== "drag-end") {
      const before = rest.kind === "drag-move" ? rest.before : from;
      const factor = 2 ** ((to.yPx - before.yPx) / ZOOM_PX);
      this.#app.stage.motion.jumpTo(zoomAt(this.#pane.view.peek(), from.xPx, factor, this.#pane.bounds.peek()));
    }
  }

  /** Shows another interval, or none; it is then the first to go with Delete. */
  #measure(span: Measured | null): void {
    measured(this.#pane).value = span;
    const shown = collection(this.#pane).peek();
    if (shown !== null) {
      shown.current.value = null;
    }
  }

  #timeAt(picture: Picture, point: PointerSample): Ticks {
    const time = snappedTicks(picture, point);
    const { startTicks, endTicks } = this.#pane.bounds.peek();
    return time < startTicks ? startTicks : time > endTicks ? endTicks : time;
  }

  #measureWhat(picture: Picture, { xPx, yPx }: PointerSample): Measured | null {
    const pointed = pointedAt(picture, xPx, yPx);
    if (pointed?.kind === "slice") {
      const { startTicks, durationTicks } = pointed.hit;
      return { range: { startTicks, endTicks: ticks(startTicks + durationTicks) }, yPx };
    }
    if (pointed?.kind === "bin") {
      const { startTicks, widthTicks } = pointed.bin;
      return { range: { startTicks, endTicks: ticks(startTicks + widthTicks) }, yPx };
    }
    return null;
  }

  #add(chosen: Selection): void {
    if (chosen.kind !== "event") {
      sayWhyNot(
        chosen.kind === "bin"
          ? "A bin stands for many events: zoom in until the event that you want is drawn, then add it."
          : "",
      );
      return;
    }
    const now = toggled(this.#pane.selection.peek(), chosen);
    if (now === null) {
      sayWhyNot(
        `No more than ${MOST_EVENTS} events are selected one by one: drag over the timeline for all of an area.`,
      );
      return;
    }
    if (now.kind === "none") {
      this.#pane.selection.value = NOTHING;
    } else {
      this.#app.viewNavigator.select(now);
    }
    const count = now.kind === "several" ? now.events.length : now.kind === "event" ? 1 : 0;
    announcement.value = count === 0 ? "Nothing is selected." : `${count} selected.`;
  }

  /** The measured range while the timing tool is in the hand; the selected one, else that; else the moment at the pointer. */
  #markable(): Markable | null {
    const span = measured(this.#pane).peek();
    const range = this.#pane.selectedRange.peek();
    if (span !== null && (range === null || toolMode.peek() === "timing")) {
      return { range: span.range, tracks: [] };
    }
    if (range !== null) {
      return { range, tracks: this.#tracksOf(this.#pane.selection.peek()) };
    }
    const { pointer, picture } = this.#app.stage;
    if (pointer === null || picture === null || this.#pane.selection.peek().kind !== "none") {
      return null;
    }
    const time = this.#timeAt(picture, { ...pointer, timeMs: 0 });
    return { range: { startTicks: time, endTicks: time }, tracks: [] };
  }

  #tracksOf(chosen: Selection): readonly number[] {
    const tracks = new Set(tracksOf(chosen));
    return this.#trace !== null && tracks.size < allTracks(this.#trace).size ? [...tracks] : [];
  }

  #mark(): void {
    const shown = collection(this.#pane).peek();
    const target = this.#markable();
    if (shown === null || target === null) {
      sayWhyNot(`Select something, or point at a time: then ${keysOf("mark")} marks it.`);
      return;
    }
    const before = shown.moment.peek();
    if (before !== null && isSameRange(rangeOf(before), target.range)) {
      shown.moment.value = null;
      showNotice("Mark removed.");
      return;
    }
    const moment = makeMark(target.range, target.tracks, 0);
    shown.moment.value = moment;
    shown.current.value = moment.id;
    showNotice(`Marked until you mark something else; ${keysOf("keep-mark")} keeps it.`);
  }

  #keep(): void {
    const shown = collection(this.#pane).peek();
    const moment = shown?.moment.peek() ?? null;
    // What has been marked is meant rather than where the pointer happens to be.
    const isPointed = measured(this.#pane).peek() === null && this.#pane.selectedRange.peek() === null;
    const target = isPointed && moment !== null ? { range: rangeOf(moment), tracks: moment.tracks } : this.#markable();
    if (shown === null || target === null) {
      sayWhyNot(`Select something, or point at a time: then ${keysOf("keep-mark")} marks it.`);
      return;
    }
    const same = shown.at(target.range);
    if (same !== null) {
      shown.current.value = same.id;
      showNotice(`${titleOf(same)} is marked already.`);
      return;
    }
    shown.keep(target.range, target.tracks);
    showNotice(`Marked; ${keysOf("toggle-marks")} lists all marks.`);
  }

  #remove(): void {
    const shown = collection(this.#pane).peek();
    if (measured(this.#pane).peek() !== null && shown?.currentMark.peek() == null) {
      measured(this.#pane).value = null;
      showNotice("Measurement removed.");
      return;
    }
    const range = this.#pane.selectedRange.peek();
    const mark =
      shown?.currentMark.peek() ??
      shown?.all.peek().find(({ home }) => home === "moment") ??
      (range === null ? null : shown?.at(range)) ??
      null;
    if (shown === null || mark === null) {
      sayWhyNot("There is no mark here: click one below the time axis first.");
      return;
    }
    shown.remove(mark);
    showNotice(`${titleOf(mark)} removed.`);
  }

  #nextFormat(): void {
    const time = this.#trace?.manifest.time;
    const hasUtc = time === undefined || hasWallClock(time);
    const next =
      this.#pane.shownFormat.peek() === "relative"
        ? "ticks"
        : this.#pane.shownFormat.peek() === "ticks" && hasUtc
          ? "utc"
          : "relative";
    timeFormat.value = next;
    changeSettings({ timeFormat: next });
    showNotice(`Times are shown ${FORMAT_WORDS[next]}.${hasUtc ? "" : ` ${NO_CLOCK}`}`);
  }

  #flagAt(xPx: number): ShownMark | null {
    const shown = collection(this.#pane).peek();
    const { picture } = this.#app.stage;
    return shown === null || picture === null
      ? null
      : (flagAt(flagsOf(shown.all.peek(), picture.view), xPx)?.mark ?? null);
  }

  #textOf(mark: ShownMark): string {
    const { startTicks, endTicks } = rangeOf(mark);
    const time = this.#trace?.manifest.time;
    if (time === undefined) {
      return "";
    }
    const span = endTicks > startTicks ? `, ${measureText({ startTicks, endTicks }, time.tickPs)}` : "";
    return `${mark.name === "" ? titleOf(mark) : mark.name}\n${timeText(this.#pane, startTicks, time)}${span}`;
  }
}
