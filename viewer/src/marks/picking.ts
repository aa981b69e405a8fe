/** Picks slices one by one, and fetches what is to be known of them. */

import { effect, untracked } from "@preact/signals";
import { type EventDetails, ticks } from "@tilescope/client";
import { failureOf } from "../state/failure";
import { retries } from "../state/link";
import { MOST_EVENTS } from "../state/location";
import type { Pane } from "../state/pane";
import { type Picked, pickedSlices, sumsOf } from "../state/picked-slices";
import { type EventSelection, NOTHING, type Selection } from "../state/selection";

type EventName = Omit<EventSelection, "kind">;

export interface PickedSource {
  event(track: number, ordinal: number, signal: AbortSignal): Promise<EventDetails>;
}

/** So many are asked for at the same time. */
const AT_ONCE = 4;

/** The selection with an event added, or taken from it; null where there is no room for more. */
export function toggled(chosen: Selection, { track, ordinal }: EventName): Selection | null {
  const events: readonly EventName[] =
    chosen.kind === "event" ? [chosen] : chosen.kind === "several" ? chosen.events : [];
  const others = events
    .filter((event) => event.track !== track || event.ordinal !== ordinal)
    .map((event) => ({ track: event.track, ordinal: event.ordinal }));
  const now = others.length < events.length ? others : [...others, { track, ordinal }];
  const [first] = now;
  if (now.length > MOST_EVENTS) {
    return null;
  }
  return first === undefined
    ? NOTHING
    : now.length === 1
      ? { kind: "event", ...first }
      : { kind: "several", events: now };
}

/** Follows the selection with the details of what was picked; returns what ends that. */
export function followPicked(pane: Pane, api: PickedSource): () => void {
  const fetched = new Map<string, EventDetails>();
  let refused = new Map<string, string>();
  let before: Selection | null = null;
  let abort = new AbortController();
  const stop = effect(() => {
    const chosen = pane.selection.value;
    void retries.value;
    void pane.shifts.value; // the range of what is picked moves with its clocks
    untracked(() => {
      abort.abort();
      abort = new AbortController();
      if (chosen !== before) {
        before = chosen;
        refused = new Map();
      }
      if (chosen.kind === "several") {
        void fetchAll(pane, api, chosen.events, fetched, refused, abort.signal);
      } else if (pickedSlices(pane).peek().length > 0) {
        pickedSlices(pane).value = [];
      }
    });
  });
  return () => {
    stop();
    abort.abort();
    pickedSlices(pane).value = [];
  };
}

/** `fetched`, `refused`: what is asked for no more, and the reasons; both are added to. */
async function fetchAll(
  pane: Pane,
  api: PickedSource,
  events: readonly EventName[],
  fetched: Map<string, EventDetails>,
  refused: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const messages = new Map(refused);
  const show = (): void => {
    if (!signal.aborted) {
      pickedSlices(pane).value = events.map((event): Picked => {
        const key = `${event.track}.${event.ordinal}`;
        return { ...event, details: fetched.get(key) ?? null, message: messages.get(key) ?? "" };
      });
      const sums = sumsOf(pickedSlices(pane).peek(), pane.shifts.peek());
      if (sums !== null) {
        pane.selectedRange.value = { startTicks: ticks(sums.startTicks), endTicks: ticks(sums.endTicks) };
      }
    }
  };
  show();
  const isOpen = (key: string) => !fetched.has(key) && !refused.has(key);
  const left = events.filter(({ track, ordinal }) => isOpen(`${track}.${ordinal}`));
  const work = async (): Promise<void> => {
    for (let event = left.shift(); event !== undefined && !signal.aborted; event = left.shift()) {
      const key = `${event.track}.${event.ordinal}`;
      try {
        fetched.set(key, await api.event(event.track, event.ordinal, signal));
      } catch (error) {
        const { message, isFinal } = failureOf(error);
        messages.set(key, message);
        if (isFinal && !signal.aborted) {
          refused.set(key, message);
        }
      }
      show();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
