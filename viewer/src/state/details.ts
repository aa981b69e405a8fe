/** The selected event with all that the server knows about it. */

import { signal } from "@preact/signals";
import { type EventDetails, type TickRange, ticks } from "@tilescope/client";
import { type Fetched, Latest } from "./latest";
import { type EventSelection, type Selection, selectedRange } from "./selection";

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
  | { readonly kind: "failed"; readonly event: EventSelection; readonly message: string };

export const detailsView = signal<DetailsView>({ kind: "none" });

export type FetchEvent = (track: number, ordinal: number, signal: AbortSignal) => Promise<EventDetails>;

/** Follows the selection; an answer that is no longer asked for is dropped. */
export class DetailsLoader {
  readonly #fetchEvent: FetchEvent;
  readonly #rangeOfEvent: (event: EventSelection) => TickRange | null;
  readonly #latest = new Latest<EventDetails>((state) => this.#show(state));
  #event: EventSelection | null = null;

  /** `rangeOfEvent`: when an event is of which that is known before its details are; null for others. */
  constructor(fetchEvent: FetchEvent, rangeOfEvent: (event: EventSelection) => TickRange | null = () => null) {
    this.#fetchEvent = fetchEvent;
    this.#rangeOfEvent = rangeOfEvent;
  }

  async follow(selection: Selection): Promise<void> {
    if (selection.kind !== "event") {
      this.close();
      selectedRange.value = rangeOf(selection);
      return;
    }
    this.#event = selection;
    // Not that of what was selected before.
    selectedRange.value = this.#rangeOfEvent(selection);
    const { track, ordinal } = selection;
    await this.#latest.ask(`${track}.${ordinal}`, (abort) => this.#fetchEvent(track, ordinal, abort));
  }

  /** The run has grown: its times may have moved. */
  forget(): void {
    this.#latest.forget();
  }

  close(): void {
    this.#event = null;
    this.#latest.clear();
  }

  #show(state: Fetched<EventDetails>): void {
    const event = this.#event;
    if (event === null || state.kind === "none") {
      detailsView.value = { kind: "none" };
    } else if (state.kind === "waiting") {
      detailsView.value = { kind: "loading", event, stale: state.stale?.value ?? null, isSlow: state.isSlow };
    } else if (state.kind === "failed") {
      detailsView.value = { kind: "failed", event, message: state.message };
    } else {
      const details = state.value;
      detailsView.value = { kind: "ready", event, details };
      const { startTicks, durationTicks } = details;
      selectedRange.value = { startTicks, endTicks: ticks(startTicks + durationTicks) };
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
