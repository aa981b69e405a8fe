/** The selected event with all that the server knows about it. */

import { effect, signal, untracked } from "@preact/signals";
import { type EventDetails, type TickRange, ticks } from "@tilescope/client";
import type { Failure } from "./failure";
import { questionKey } from "./question-key";
import { Requester, type RequestState } from "./request-state";
import type { EventSelection, Selection, SelectionState } from "./selection";
import type { shiftState } from "./shift-state";

export type DetailsView =
  | { readonly kind: "none" }
  /** `stale`: the event before, to be shown dimmed; `isSlow`: it is time for a skeleton. */
  | {
      readonly kind: "loading";
      readonly event: EventSelection;
      readonly stale: EventDetails | null;
      readonly isSlow: boolean;
    }
  | { readonly kind: "ready"; readonly event: EventSelection; readonly details: EventDetails }
  | { readonly kind: "failed"; readonly event: EventSelection; readonly failure: Failure };

export function detailsState() {
  return { detailsView: signal<DetailsView>({ kind: "none" }) };
}

export type DetailsState = ReturnType<typeof detailsState>;

/** So many events are at hand again at once. */
const KEPT = 100;

type DetailsPane = DetailsState & Pick<SelectionState, "selectedRange"> & ReturnType<typeof shiftState>;

type Build = Parameters<typeof questionKey>[0];

export type FetchEvent = (track: number, ordinal: number, signal: AbortSignal) => Promise<EventDetails>;

/** Follows the selection; an answer that is no longer asked for is dropped. */
export class DetailsLoader {
  readonly #pane: DetailsPane;
  #build: Build;
  readonly #fetchEvent: FetchEvent;
  readonly #rangeOfEvent: (event: EventSelection) => TickRange | null;
  readonly #requester = new Requester<EventDetails>(KEPT);
  #event: EventSelection | null = null;

  /** `rangeOfEvent`: when an event is of which that is known before its details are; null for others. */
  constructor(
    pane: DetailsPane,
    build: Build,
    fetchEvent: FetchEvent,
    rangeOfEvent: (event: EventSelection) => TickRange | null = () => null,
  ) {
    this.#pane = pane;
    this.#build = build;
    this.#fetchEvent = fetchEvent;
    this.#rangeOfEvent = rangeOfEvent;
    effect(() => {
      const { state } = this.#requester;
      pane.shifts.value;
      untracked(() => this.#show(state));
    });
  }

  async follow(selection: Selection): Promise<void> {
    if (selection.kind !== "event") {
      this.close();
      this.#pane.selectedRange.value = rangeOf(selection);
      return;
    }
    this.#event = selection;
    // Not that of what was selected before.
    this.#pane.selectedRange.value = this.#rangeOfEvent(selection);
    const { track, ordinal } = selection;
    const key = questionKey(this.#build, "event", { track, ordinal });
    const state = this.#requester.about(key);
    // A person who selects once more what was refused asks once more.
    const wanted =
      state.kind === "failed"
        ? this.#requester.again()
        : this.#requester.want(key, (abort) => this.#fetchEvent(track, ordinal, abort));
    // What is known of an event that is selected once more is shown for this selection, too.
    untracked(() => this.#show(this.#requester.state));
    await wanted;
  }

  /** The build has grown: its times may have moved. */
  renew(build: Build): void {
    this.#build = build;
  }

  close(): void {
    this.#event = null;
    this.#requester.clear();
  }

  #show(state: RequestState<EventDetails>): void {
    const event = this.#event;
    if (event === null || state.kind === "none" || state.kind === "cancelled") {
      this.#pane.detailsView.value = { kind: "none" };
    } else if (state.kind === "waiting") {
      const isSlow = state.patience !== "quiet";
      this.#pane.detailsView.value = { kind: "loading", event, stale: state.stale?.answer ?? null, isSlow };
    } else if (state.kind === "failed") {
      this.#pane.detailsView.value = { kind: "failed", event, failure: state.failure };
    } else {
      const details = state.answer;
      this.#pane.detailsView.value = { kind: "ready", event, details };
      const { track, startTicks, durationTicks } = details;
      const recorded = { startTicks, endTicks: ticks(startTicks + durationTicks) };
      this.#pane.selectedRange.value = this.#pane.shifts.peek()?.range(track, recorded) ?? recorded;
    }
  }
}

function rangeOf(selection: Selection) {
  if (selection.kind === "area") {
    return selection.range;
  }
  if (selection.kind !== "bin") {
    return null;
  }
  const { startTicks, widthTicks } = selection.bin;
  return { startTicks, endTicks: ticks(startTicks + widthTicks) };
}
