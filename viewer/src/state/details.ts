/** The selected event with all that the server knows about it. */

import { signal } from "@preact/signals";
import { type EventDetails, ticks } from "@tilescope/client";
import { type EventSelection, type Selection, selectedRange } from "./selection";

export type DetailsView =
  | { readonly kind: "none" }
  | { readonly kind: "loading"; readonly event: EventSelection }
  | { readonly kind: "ready"; readonly event: EventSelection; readonly details: EventDetails }
  | { readonly kind: "failed"; readonly event: EventSelection; readonly message: string };

export const detailsView = signal<DetailsView>({ kind: "none" });

export type FetchEvent = (track: number, ordinal: number, signal: AbortSignal) => Promise<EventDetails>;

/** Follows the selection; an answer that is no longer asked for is dropped. */
export class DetailsLoader {
  readonly #fetchEvent: FetchEvent;
  #abort = new AbortController();

  constructor(fetchEvent: FetchEvent) {
    this.#fetchEvent = fetchEvent;
  }

  async follow(selection: Selection): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    if (selection.kind !== "event") {
      detailsView.value = { kind: "none" };
      selectedRange.value = rangeOf(selection);
      return;
    }
    const { signal: abortSignal } = this.#abort;
    detailsView.value = { kind: "loading", event: selection };
    try {
      const details = await this.#fetchEvent(selection.track, selection.ordinal, abortSignal);
      if (abortSignal.aborted) {
        return;
      }
      detailsView.value = { kind: "ready", event: selection, details };
      selectedRange.value = {
        startTicks: details.startTicks,
        endTicks: ticks(details.startTicks + details.durationTicks),
      };
    } catch (error) {
      if (abortSignal.aborted) {
        return;
      }
      const message = error instanceof Error ? error.message : String(error);
      detailsView.value = { kind: "failed", event: selection, message };
    }
  }

  close(): void {
    this.#abort.abort();
    detailsView.value = { kind: "none" };
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
