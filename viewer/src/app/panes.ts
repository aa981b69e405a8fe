/** The second pane of the page: opened, closed, kept in step with the first, and part of its address. Loaded late. */

import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals";
import { sameView, type Ticks, type View } from "@tilescope/client";
import type { PaneIntent } from "../keys/table";
import { paneLocation } from "../state/address-writer";
import {
  type Alignment,
  alignedView,
  BY_START,
  formatAlignment,
  offsetBetween,
  parseAlignment,
} from "../state/alignment";
import { valuesOf } from "../state/answer-values";
import { type EventPlace, NOWHERE, type PageLocation, parseLocation } from "../state/location";
import { formatLocation } from "../state/location-text";
import { page as shownPage } from "../state/page";
import { makePane, type Pane } from "../state/pane";
import { rootOf } from "../state/pane-root";
import { bindPart } from "../state/part-text";
import { pageParts } from "../state/parts";
import { runIdOf } from "../state/run";
import { showNotice } from "../state/shell";
import { drawnTicks } from "../state/shifts";
import { RUN_PARAMETER } from "../state/site-archive";
import { formatSplit, parseSplit, type Split } from "../state/split";
import type { Trace } from "../state/trace";
import { type PagePort, PaneApp } from "./pane-app";

/** A location as the part `second` of an address has it: `run=…&t=…`. */
function secondText(location: PageLocation): string {
  const [search, hash = ""] = formatLocation({ ...NOWHERE, ...location }).split("#");
  return `${search!.slice(1)}${hash.replace(/^v=1/, "")}` || "list";
}

function parseSecond(text: string): PageLocation {
  const run = new URLSearchParams(text).get(RUN_PARAMETER);
  const query = run === null ? "" : `?${RUN_PARAMETER}=${encodeURIComponent(run)}`;
  return parseLocation(query, `#v=1&${text}`);
}

/** True while a page of a tool is shown. Reads a signal. */
function isOfTool(): boolean {
  return shownPage.value.tool !== null;
}

/** The page, with its panes. */
export interface PanesPort extends PagePort {
  readonly first: PaneApp;
  readonly second: Signal<PaneApp | null>;
  /** The pane that was used last, and the one that keys are for. */
  readonly focused: Signal<PaneApp>;
  readonly active: ReadonlySignal<PaneApp>;
}

export class Panes {
  readonly split = signal<Split>(parseSplit("below")!);
  readonly alignment = signal<Alignment>(BY_START);
  /** So much later is the second than the first; null while that is not known, or each is zoomed by itself. */
  readonly offsetPs = signal<bigint | null>(null);
  /** Reason why the wanted alignment is not there, or "". */
  readonly problem = signal("");
  readonly #page: PanesPort;
  readonly #second: PaneApp;
  /** Location that the second pane is to show when its run is there. */
  readonly #wanted = signal<PageLocation | null>(null);
  readonly traces = computed((): readonly [Trace, Trace] | null => {
    const [first, second] = [this.#page.first, this.#page.second.value].map((each) => each?.pane.runView.value);
    return first?.kind === "open" && second?.kind === "open" ? [first.trace, second.trace] : null;
  });

  constructor(page: PanesPort) {
    this.#page = page;
    this.#second = new PaneApp(makePane(), page, {
      name: "of the second timeline",
      take: (run) => {
        const wanted = this.#wanted.peek();
        this.#wanted.value = null;
        // Where both are zoomed together the address has the range of the first alone.
        const range = wanted?.range ?? page.first.pane.visible.peek();
        return wanted?.run === run ? { ...wanted, range } : null;
      },
      forget: () => {
        this.#wanted.value = null;
      },
      takePage: () => undefined,
    });
    this.#second.start();
    bindPart(
      pageParts,
      "second",
      () => (page.second.value === null ? null : secondText(this.#wanted.value ?? this.#secondLocation())),
      (text) => this.#take(text),
    );
    bindPart(
      pageParts,
      "split",
      () => (page.second.value === null ? null : formatSplit(this.split.value)),
      (text) => {
        const split = text === null ? null : parseSplit(text);
        this.split.value = split ?? this.split.peek();
        return text === null || split !== null;
      },
    );
    bindPart(
      pageParts,
      "align",
      () => {
        const text = formatAlignment(this.alignment.value);
        return page.second.value === null || text === "start" ? null : text;
      },
      (text) => {
        const alignment = text === null ? BY_START : parseAlignment(text);
        this.alignment.value = alignment ?? BY_START;
        return alignment !== null;
      },
    );
    bindPart(
      pageParts,
      "pane",
      () => (page.second.value !== null && isOfTool() && page.focused.value === this.#second ? "2" : null),
      (text) => {
        const isThere = text === "2" && page.second.peek() !== null;
        if (isThere || isOfTool()) {
          page.focused.value = isThere ? this.#second : page.first;
        }
        return text === null || isThere;
      },
    );
    let runsBefore = "";
    let alignmentBefore: Alignment | null = null;
    effect(() => {
      const [traces, alignment] = [this.traces.value, this.alignment.value];
      const runs = (traces ?? []).map(({ manifest }) => manifest.run).join(" ");
      // Runs that grow stay where they are until it is known how far they are apart now.
      if (runs !== runsBefore || alignment !== alignmentBefore || alignment.kind === "off") {
        this.offsetPs.value = null;
      }
      [runsBefore, alignmentBefore] = [runs, alignment];
      this.problem.value = "";
      for (const { pane } of [this.#page.first, this.#second]) {
        void pane.shifts.value; // steps and events stand elsewhere
      }
      if (traces !== null && alignment.kind !== "off") {
        const abort = new AbortController();
        void untracked(() => this.#align(traces, alignment, abort.signal));
        return () => abort.abort();
      }
      return undefined;
    });
    effect(() => this.#follow());
    effect(() => {
      const other = page.active.value === this.#second ? page.first : this.#second;
      other.stage.motion.releaseAll(); // keys that are held come up where another pane is in use
    });
    this.#followUse();
  }

  act(intent: PaneIntent): void {
    const { split } = this;
    const acts: Readonly<Record<PaneIntent, () => void>> = {
      "split-beside": () => this.open({ ...split.peek(), side: "beside" }),
      "split-below": () => this.open({ ...split.peek(), side: "below" }),
      "close-second": () => this.close(),
      "other-pane": () => this.#toOther(),
      "link-panes": () => this.toggleLink(),
    };
    acts[intent]();
  }

  /** Opens the second pane with what the first shows, or puts it on another side. */
  open(split: Split): void {
    this.#page.address.step(() => {
      this.split.value = split;
      if (this.#page.second.peek() === null) {
        this.#take(this.#secondOfFirst());
      }
    });
    showNotice(`Second timeline ${split.side} the first`);
  }

  /** Shows a step in each pane, both of the run in use: the first in the pane in use, with their starts at one place. */
  async showSteps(first: bigint, second: bigint, stepName: string, toTimeline: () => void): Promise<void> {
    const lead = this.#page.active.peek();
    const { pane, viewNavigator } = lead;
    const shown = pane.runView.peek();
    if (shown.kind !== "open") {
      return;
    }
    const { stepSpan } = await loadStepSpan();
    const span = await stepSpan(pane, shown.trace, String(first), stepName);
    const now = pane.runView.peek();
    if (now.kind !== "open" || now.trace.manifest.run !== shown.trace.manifest.run) {
      return;
    }
    this.#page.address.step(() => {
      toTimeline();
      this.#page.focused.value = lead;
      viewNavigator.zoomTo(span);
      if (lead === this.#second) {
        this.alignment.value = { kind: "step", first: String(second), second: String(first), stepName };
        if (runIdOf(this.#page.first.pane.runView.peek()) !== shown.trace.manifest.run) {
          this.#page.address.forget();
          this.#page.first.follow(shown.trace.manifest.run);
        }
      } else {
        this.alignment.value = { kind: "step", first: String(first), second: String(second), stepName };
        this.#take(this.#secondOfFirst());
      }
    });
  }

  #secondLocation(): PageLocation {
    const location = paneLocation(this.#second.pane);
    return this.alignment.value.kind === "off" ? location : { ...location, range: null };
  }

  /** Location of the second pane with what the first shows. */
  #secondOfFirst(): string {
    const { run, range, host, choice, parts } = paneLocation(this.#page.first.pane);
    const { top = "", open = "", closed = "" } = parts;
    return secondText({ ...NOWHERE, run, range, host, choice, parts: { top, open, closed } });
  }

  isActive(app: PaneApp): boolean {
    return this.#page.active.value === app;
  }

  /** Gives the first pane so much of the room. */
  resize(percent: number): void {
    this.split.value = { ...this.split.peek(), percent };
  }

  close(): void {
    if (this.#page.second.peek() === null) {
      showNotice("There is no second timeline");
      return;
    }
    this.#page.address.step(() => this.#take(null));
    showNotice("Second timeline closed");
    this.#page.first.stage.invalidate();
  }

  /** Zooms both together as they stand now, or each by itself. */
  toggleLink(): void {
    this.align(this.alignment.peek().kind === "off" ? this.asTheyStand() : { kind: "off" });
  }

  align(alignment: Alignment): void {
    this.#page.address.step(() => {
      this.alignment.value = alignment;
    });
    showNotice(alignment.kind === "off" ? "Each timeline is zoomed by itself" : "Timelines are zoomed together");
  }

  /** Aligns by a step that each run has; never rejects. */
  async alignFirstSteps(): Promise<void> {
    const traces = this.traces.peek();
    try {
      const [first, second] = await Promise.all((traces ?? []).map(firstStepOf));
      if (first !== undefined && second !== undefined && traces === this.traces.peek()) {
        this.align({ kind: "step", first, second, stepName: "" });
      }
    } catch (error) {
      if (traces === this.traces.peek()) {
        this.problem.value = `Not aligned: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
  }

  /** Alignment that leaves both where they are. */
  asTheyStand(): Alignment {
    const traces = this.traces.peek();
    const [first, second] = [this.#page.first, this.#second].map(({ pane }) => pane.view.peek().startTicks);
    return traces === null
      ? BY_START
      : { kind: "hand", offsetPs: offsetBetween(first!, tickPs(traces[0]), second!, tickPs(traces[1])) };
  }

  /** Alignment by the events that are selected; null while one of them is missing. */
  bySelected(): Alignment | null {
    const chosen = [this.#page.first, this.#second].map(({ pane }) => pane.selection.value);
    const [first, second] = chosen;
    return first?.kind === "event" && second?.kind === "event"
      ? { kind: "event", first: placeOf(first), second: placeOf(second) }
      : null;
  }

  #take(text: string | null): boolean {
    const { second } = this.#page;
    if (text === null) {
      if (second.peek() !== null) {
        second.value = null;
        this.#page.focused.value = this.#page.first;
        this.#second.follow(null);
      }
      return true;
    }
    const to = parseSecond(text);
    second.value = this.#second;
    if (!this.#second.travel(to)) {
      this.#wanted.value = to;
      this.#second.follow(to.run);
    }
    return true;
  }

  async #align(traces: readonly [Trace, Trace], alignment: Alignment, abort: AbortSignal): Promise<void> {
    try {
      const [first, second] = await Promise.all(
        traces.map((trace, k) => {
          const { pane } = k === 0 ? this.#page.first : this.#second;
          return startOf(pane, trace, alignment, k === 0 ? "first" : "second", abort);
        }),
      );
      const offsetPs =
        alignment.kind === "hand"
          ? alignment.offsetPs
          : offsetBetween(first!, tickPs(traces[0]), second!, tickPs(traces[1]));
      if (!abort.aborted) {
        this.offsetPs.value = offsetPs;
      }
    } catch (error) {
      if (!abort.aborted) {
        this.problem.value = `Not aligned: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
  }

  /** Gives the pane that is not in use the view of the other. Reads signals. */
  #follow(): void {
    const [traces, offsetPs] = [this.traces.value, this.offsetPs.value];
    const isSecond = this.#page.active.value === this.#second;
    const [first, second] = [this.#page.first.pane.view, this.#second.pane.view];
    const [lead, other] = isSecond ? [second, first] : [first, second];
    const led = lead.value;
    // Only its width: where it moves by itself, the next effect of the leader takes it back.
    const { widthPx } = other.value;
    if (traces === null || offsetPs === null || led.widthPx <= 1 || widthPx <= 1) {
      return;
    }
    const [from, to] = isSecond ? [traces[1], traces[0]] : traces;
    const wanted: View = alignedView(led, tickPs(from), tickPs(to), isSecond ? -offsetPs : offsetPs, widthPx);
    if (!sameView(wanted, other.peek())) {
      other.value = wanted;
    }
  }

  /** The pane in use is the one that was pressed, scrolled or focused last. */
  #followUse(): void {
    const use = ({ target }: Event) => {
      const { first, second, focused } = this.#page;
      for (const app of [first, second.peek()]) {
        // A page of a tool stands in the place of both.
        const root = app === null || isOfTool() ? null : rootOf(app.pane);
        if (app !== null && target instanceof Node && root instanceof Element && root.contains(target)) {
          focused.value = app;
        }
      }
    };
    for (const name of ["pointerdown", "wheel", "focusin"]) {
      addEventListener(name, use, { capture: true, passive: true });
    }
  }

  #toOther(): void {
    const { first, second, active } = this.#page;
    const other = active.peek() === first ? second.peek() : first;
    if (other === null) {
      showNotice("There is no second timeline");
      return;
    }
    if (isOfTool()) {
      this.#page.address.step(() => {
        this.#page.focused.value = other;
      });
      return;
    }
    this.#page.focused.value = other;
    rootOf(other.pane)
      .querySelector<HTMLElement>(".timeline:not([inert]), .slice-table")
      ?.focus({ preventScroll: true });
  }
}

function tickPs({ manifest }: Trace): number {
  return manifest.time.tickPs;
}

/** Number of the first step that a run lists. */
async function firstStepOf({ api }: Trace): Promise<string> {
  const step = valuesOf(await api.ask("steps", { limit: 1 }), "steps", "step")[0];
  if (step == null) {
    throw new Error("a run has no steps");
  }
  return String(step);
}

function placeOf({ track, ordinal }: EventPlace): EventPlace {
  return { track, ordinal };
}

const loadStepSpan = () => import("../state/step-span");

/** Start of what is aligned in a run, as its pane draws it. */
async function startOf(
  pane: Pane,
  trace: Trace,
  alignment: Alignment,
  side: "first" | "second",
  abort: AbortSignal,
): Promise<Ticks> {
  switch (alignment.kind) {
    case "step":
      return (await (await loadStepSpan()).stepSpan(pane, trace, alignment[side], alignment.stepName, abort))
        .startTicks;
    case "event": {
      const { track, ordinal } = alignment[side];
      return drawnTicks(pane, track, (await trace.api.event(track, ordinal, abort)).startTicks);
    }
    default:
      return trace.manifest.range.startTicks;
  }
}
