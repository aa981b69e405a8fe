/**
 * Steps from slice to slice by keys, one after the other: a key that is pressed while a step is on its way, or while what is selected is
 * loaded, waits for it. Loaded with the first such key.
 */

import { effect } from "@preact/signals";
import type { EventDetails } from "@tilescope/client";
import type { Pane } from "../state/pane";
import type { Selection } from "../state/selection";
import { announcement, failure } from "../state/shell";
import type { Neighbour } from "./navigate";

/** The part of the navigator that steps need. */
export interface StepPort {
  readonly pane: Pane;
  startAnew(): AbortSignal;
  select(chosen: Selection): void;
  show(track: number, event: Neighbour): void;
  goTo(track: number, ordinal: number): void;
  revealSelection(): void;
}

export type SliceStep = (port: StepPort) => void | Promise<void>;

/** Takes steps, and knows how many are under way. */
interface Walker {
  readonly pane: Pane;
  readonly stepsUnderWay: number;
  walk(step: SliceStep): Promise<void>;
}

/** Number of steps that may wait. */
const MOST_STEPS = 32;

/**
 * Each step goes on from where the step before it has led. Those that wait are dropped when something else is selected by hand, or a step
 * fails.
 */
export class Steps {
  readonly #port: StepPort;
  /** The navigator, as the steps see it. */
  readonly #own: StepPort;
  readonly #waiting: SliceStep[] = [];
  /** Selection that the steps have led to. */
  #place: Selection | null = null;
  /** Selection that the step under way goes on from. */
  #from: Selection | null = null;
  #going: Promise<void> | null = null;

  constructor(port: StepPort) {
    const { pane } = port;
    // A step that comes to its end after something else has been selected, or nothing, leads nowhere.
    const lead = (select: () => void) => {
      if (pane.selection.peek() === this.#from) {
        select();
        this.#from = pane.selection.peek();
        this.#place = this.#from;
      }
    };
    this.#port = port;
    this.#own = {
      pane,
      startAnew: () => port.startAnew(),
      revealSelection: () => port.revealSelection(),
      select: (chosen) => lead(() => port.select(chosen)),
      show: (track, event) => lead(() => port.show(track, event)),
      goTo: (track, ordinal) => lead(() => port.goTo(track, ordinal)),
    };
  }

  /** Takes a step when those before it are done; resolves when none is left. */
  add(step: SliceStep): Promise<void> {
    const chosen = this.#port.pane.selection.peek();
    if (chosen !== this.#place) {
      this.#place = chosen;
      this.#waiting.length = 0;
    }
    if (this.#waiting.length === MOST_STEPS) {
      sayWhyNot(`${MOST_STEPS} steps wait for the server: this one is left out.`);
    } else {
      this.#waiting.push(step);
    }
    this.#going ??= this.#go();
    return this.#going;
  }

  async #go(): Promise<void> {
    await null; // a step that throws at once must not end this before `#going` is set
    try {
      for (let step = this.#waiting.shift(); step !== undefined; step = this.#waiting.shift()) {
        if (this.#port.pane.selection.peek() === this.#place) {
          this.#from = this.#place;
          await step(this.#own);
        }
      }
    } finally {
      this.#waiting.length = 0;
      this.#going = null;
    }
  }
}

/** Details of the selected event, as soon as they are loaded; null, with a message, where no event is selected or they cannot be had. */
export async function detailsWhenHere(pane: Pane): Promise<EventDetails | null> {
  const chosen = pane.selection.peek();
  const shown = await new Promise<ReturnType<typeof pane.detailsView.peek>>((resolve) => {
    const stop = effect(() => {
      const now = pane.detailsView.value;
      if (now.kind !== "loading" || pane.selection.value !== chosen) {
        resolve(now);
        queueMicrotask(() => stop());
      }
    });
  });
  if (pane.selection.peek() !== chosen) {
    return null;
  }
  if (shown.kind === "ready") {
    return shown.details;
  }
  sayWhyNot(
    shown.kind === "failed"
      ? `What is selected could not be read: ${shown.failure.message}`
      : "Select a slice first: this key goes on from it.",
  );
  return null;
}

/** Acts on the selection: at once, or when all earlier steps are taken and the details of what they lead to are here. */
export function whenKnown(navigator: Walker, act: () => void): void {
  if (navigator.stepsUnderWay === 0 && navigator.pane.detailsView.peek().kind !== "loading") {
    act();
    return;
  }
  void navigator.walk(async ({ pane }) => {
    if (pane.selection.peek().kind !== "event" || (await detailsWhenHere(pane)) !== null) {
      act();
    }
  });
}

/** Says it to those who see the screen and to those who do not. */
export function sayWhyNot(words: string): void {
  failure.value = words;
  announcement.value = words;
}
