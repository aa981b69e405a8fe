/**
 * Hits as tracks are drawn. Tracks whose clocks are shifted alike are asked about together, in the times that these clocks showed, and
 * what comes is drawn so much later.
 */

import { signal } from "@preact/signals";
import { type Shifts, ticks } from "@tilescope/client";
import type { HitGrid } from "../raster/hit-grid";
import { type AskedHits, askedHits, DensityLoader, type DensityWish } from "./hit-density";
import type { Trace } from "./trace";

/** Hits to paint: in the view, or in the minimap. */
export interface ShownHits extends Omit<AskedHits, "grid"> {
  /** Hits of a track in times as they are drawn; null while nothing is known of them. */
  readonly gridOf: (track: number) => HitGrid | null;
}

/** Hits of one question about whatever tracks, such as those of the whole run. */
export function drawnHits({ grid, ...hits }: AskedHits, shifts: Shifts | null): ShownHits {
  return { ...hits, gridOf: (track) => grid?.later(shifts?.later(track) ?? 0n) ?? null };
}

export class DrawnHits {
  readonly #byShift = signal<ReadonlyMap<bigint, DensityLoader>>(new Map());
  #shifts: Shifts | null = null;

  /** Sees to it that hits in a view are known; the wish is about times as they are drawn. */
  want(trace: Trace, wish: DensityWish, shifts: Shifts | null): void {
    this.#shifts = shifts;
    const tracksByShift = new Map<bigint, number[]>();
    for (const track of wish.tracks) {
      const shiftTicks = shifts?.later(track) ?? 0n;
      tracksByShift.set(shiftTicks, [...(tracksByShift.get(shiftTicks) ?? []), track]);
    }
    const before = this.#byShift.peek();
    if (before.size !== tracksByShift.size || [...before.keys()].some((shiftTicks) => !tracksByShift.has(shiftTicks))) {
      this.#byShift.value = new Map(
        [...tracksByShift.keys()].map((shiftTicks) => [shiftTicks, before.get(shiftTicks) ?? new DensityLoader()]),
      );
    }
    for (const [shiftTicks, tracks] of tracksByShift) {
      const { startTicks, endTicks } = wish.range;
      const range = { startTicks: ticks(startTicks - shiftTicks), endTicks: ticks(endTicks - shiftTicks) };
      this.#byShift
        .peek()
        .get(shiftTicks)!
        .want(trace, { ...wish, range, tracks });
    }
  }

  /** Hits of the search with this key. */
  shown(key: string): ShownHits {
    const byShift = new Map([...this.#byShift.value].map(([by, { state }]) => [by, askedHits(state, key)]));
    const all = [...byShift.values()];
    return {
      gridOf: (track) => {
        const shiftTicks = this.#shifts?.later(track) ?? 0n;
        return byShift.get(shiftTicks)?.grid?.later(shiftTicks) ?? null;
      },
      isStale: all.some(({ isStale }) => isStale),
      isPending: all.some(({ isPending }) => isPending),
      problem: all.find(({ problem }) => problem !== null)?.problem ?? null,
      isBlind: all.length > 0 && all.every(({ isBlind }) => isBlind),
    };
  }

  /** Asks again with the next wish for what failed in a way that may pass; false: nothing did. */
  retry(): boolean {
    return [...this.#byShift.peek().values()].filter((loader) => loader.retry()).length > 0;
  }

  /** Marks the answers as outdated. */
  forget(): void {
    for (const loader of this.#byShift.peek().values()) {
      loader.forget();
    }
  }

  clear(): void {
    for (const loader of this.#byShift.peek().values()) {
      loader.clear();
    }
    this.#byShift.value = new Map();
  }
}
