/** First view of a run that is mostly empty: its busy part, with a word on that. */

import { signal } from "@preact/signals";
import { StillClient, type TickRange } from "@tilescope/client";
import { type BusyRange, isBusyAllAlong, rangeWithoutLoneInstants } from "./busy-tracks";
import { requestOf, type Trace, topRollups } from "./trace";

export function firstViewState() {
  /** The busy part that is shown instead of the whole run, until the user has seen that it is so. */
  const busyPart = signal<BusyRange | null>(null);
  /** The busy part of the open run, if it is mostly empty, also when the user has seen that: what the minimap shows. */
  const busyRange = signal<TickRange | null>(null);
  /** While it is not known yet what is shown first. */
  const isLooking = signal(false);
  return { busyPart, busyRange, isLooking };
}

export type FirstViewState = ReturnType<typeof firstViewState>;

/** With more groups than this, finding out would cost more than it is worth. */
const MAX_ROLLUPS = 64;

/** Whoever waits longer than this has begun to look at the whole run. */
const PATIENCE_MS = 1500;

export class FirstView {
  readonly #pane: FirstViewState;
  #current: Trace | null = null;

  constructor(pane: FirstViewState) {
    this.#pane = pane;
  }

  /** The busy part of a trace: all but its outliers, or else what is looked for; calls back where there is one, and soon enough. */
  async find(trace: Trace, onFound: (range: TickRange) => void): Promise<void> {
    this.forget();
    const { outliers } = trace.manifest;
    if (outliers) {
      const { startTicks, endTicks } = outliers;
      const left = outliers.before + outliers.after + outliers.tooLong + outliers.overruns;
      const range = {
        startTicks,
        endTicks,
        share: 1 - Number(left) / Number(trace.manifest.events.total),
        isOnly: true,
      };
      this.#pane.busyPart.value = range;
      this.#pane.busyRange.value = range;
      onFound(range);
      return;
    }
    const rollups = topRollups(trace);
    if (rollups.length === 0 || rollups.length > MAX_ROLLUPS) {
      return;
    }
    const run = trace.manifest.range;
    const withoutInstants = rangeWithoutLoneInstants(trace.tracks.values(), run);
    if (isBusyAllAlong(trace.tracks.values(), withoutInstants ?? run)) {
      if (withoutInstants !== null) {
        onFound(withoutInstants);
      }
      return;
    }
    this.#current = trace;
    this.#pane.isLooking.value = true;
    const { manifest, api } = trace;
    const client = new StillClient(api, manifest.rootLevel);
    // Where something cannot be loaded the timeline says so: it needs the same and more.
    const search = import("./busy-span")
      .then(({ findBusyRange }) => findBusyRange(client, rollups.map(requestOf), manifest.range))
      .catch(() => null);
    const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE_MS));
    const busy = await Promise.race([search, late]);
    if (this.#current !== trace) {
      return;
    }
    this.#pane.isLooking.value = false;
    if (busy !== null) {
      this.#pane.busyPart.value = busy;
      // Of several such parts the minimap shows all.
      this.#pane.busyRange.value = busy.isOnly ? busy : null;
      onFound(busy);
    } else if (withoutInstants !== null) {
      onFound(withoutInstants);
    }
  }

  /** Another trace is shown, or none, or another part of it was asked for. */
  forget(): void {
    this.#current = null;
    this.#pane.isLooking.value = false;
    this.#pane.busyPart.value = null;
    this.#pane.busyRange.value = null;
  }
}
