/**
 * Hits as tracks are drawn. Tracks are asked about in the times that their clocks showed, those of clocks that are shifted by nearly the
 * same together, and what comes is drawn as much later as each of them is.
 */

import { signal } from "@preact/signals";
import { type Shifts, type TickRange, ticks } from "@tilescope/client";
import type { HitGrid } from "../raster/hit-grid";
import { type AskedHits, askedHits, DensityLoader, type DensityWish } from "./hit-density";
import type { Trace } from "./trace";

/** Hits to paint: in the view, or in the minimap. */
export interface ShownHits extends Omit<AskedHits, "grid"> {
  /** Hits of a track in times as they are drawn; null while nothing is known of them. */
  readonly gridOf: (track: number) => HitGrid | null;
}

/** Hits of one question about whatever tracks, such as those of the whole run. */
export function drawnHits({ grid, ...others }: AskedHits, shifts: Shifts | null): ShownHits {
  return { ...others, gridOf: (track) => grid?.later(shifts?.later(track) ?? 0n) ?? null };
}

/** So many questions are on their way at once: the others follow as these are answered. */
const MOST_AT_ONCE = 4;

/** Tracks that one question is about, and their shifts, ascending. */
interface Group {
  readonly shifts: readonly bigint[];
  readonly tracks: readonly number[];
}

/** Tracks by their shifts; shifts that differ by no more than the view is wide are in one group, whose question is at most twice as wide. */
export function groupsOf(wish: DensityWish, shifts: Shifts | null): readonly Group[] {
  const tracksByShift = new Map<bigint, number[]>();
  for (const track of wish.tracks) {
    const by = shifts?.later(track) ?? 0n;
    const alike = tracksByShift.get(by);
    if (alike === undefined) {
      tracksByShift.set(by, [track]);
    } else {
      alike.push(track);
    }
  }
  const widthTicks = wish.range.endTicks - wish.range.startTicks;
  const groups: { shifts: bigint[]; tracks: number[] }[] = [];
  for (const [by, tracks] of [...tracksByShift].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = groups[groups.length - 1];
    if (last !== undefined && by - last.shifts[0]! <= widthTicks) {
      last.shifts.push(by);
      last.tracks.push(...tracks);
    } else {
      groups.push({ shifts: [by], tracks: [...tracks] });
    }
  }
  return groups;
}

/** The wish for a group, in the times that its clocks showed. */
function wishOf(wish: DensityWish, { shifts, tracks }: Group): DensityWish {
  const [least, most] = [shifts[0]!, shifts[shifts.length - 1]!];
  const { startTicks, endTicks } = wish.range;
  const range = { startTicks: ticks(startTicks - most), endTicks: ticks(endTicks - least) };
  const wider = Number(range.endTicks - range.startTicks) / Math.max(1, Number(endTicks - startTicks));
  return { ...wish, range, tracks, widthPx: Math.ceil(wish.widthPx * wider) };
}

function touches(range: TickRange, run: TickRange): boolean {
  return range.startTicks <= run.endTicks && range.endTicks > run.startTicks;
}

interface Loaders {
  readonly byShift: ReadonlyMap<bigint, DensityLoader>;
  /** Some have not been asked for yet, as too many are on their way. */
  readonly isQueued: boolean;
}

const NONE: Loaders = { byShift: new Map(), isQueued: false };

export class DrawnHits {
  readonly #loaders = signal(NONE);
  #shifts: Shifts | null = null;

  get #all(): readonly DensityLoader[] {
    return [...new Set(this.#loaders.peek().byShift.values())];
  }

  /** Sees to it that hits in a view are known; the wish is about times as they are drawn. To be called with each picture. */
  want(trace: Trace, wish: DensityWish, shifts: Shifts | null): void {
    this.#shifts = shifts;
    const before = this.#all;
    const byShift = new Map<bigint, DensityLoader>();
    const wishes = new Map<DensityLoader, DensityWish>();
    for (const group of groupsOf(wish, shifts)) {
      const own = wishOf(wish, group);
      // Clocks that are shifted so far that nothing of them is in the view are not asked about.
      if (touches(own.range, trace.manifest.range)) {
        const loaderBefore = this.#loaders.peek().byShift.get(group.shifts[0]!);
        const loader = loaderBefore === undefined || wishes.has(loaderBefore) ? new DensityLoader() : loaderBefore;
        wishes.set(loader, own);
        for (const by of group.shifts) {
          byShift.set(by, loader);
        }
      }
    }
    for (const loader of before) {
      if (!wishes.has(loader)) {
        loader.clear();
      }
    }
    let free = MOST_AT_ONCE - [...wishes.keys()].filter(isWaiting).length;
    let isQueued = false;
    for (const [loader, own] of wishes) {
      const wasWaiting = isWaiting(loader);
      if (wasWaiting || free > 0) {
        loader.want(trace, own);
        free -= !wasWaiting && isWaiting(loader) ? 1 : 0;
      } else {
        isQueued ||= !loader.knows(trace, own);
      }
    }
    const now = this.#loaders.peek();
    const isSame = now.byShift.size === byShift.size && [...byShift].every(([by, own]) => now.byShift.get(by) === own);
    if (!isSame || now.isQueued !== isQueued) {
      this.#loaders.value = { byShift, isQueued };
    }
  }

  /** Hits of the search with this key. */
  shown(key: string): ShownHits {
    const { byShift, isQueued } = this.#loaders.value;
    const hitsByLoader = new Map(
      [...new Set(byShift.values())].map((loader) => [loader, askedHits(loader.state, key)]),
    );
    const all = [...hitsByLoader.values()];
    return {
      gridOf: (track) => {
        const by = this.#shifts?.later(track) ?? 0n;
        const loader = byShift.get(by);
        return (loader === undefined ? null : hitsByLoader.get(loader)!.grid?.later(by)) ?? null;
      },
      isStale: all.some(({ isStale }) => isStale),
      isPending: isQueued || all.some(({ isPending }) => isPending),
      problem: all.find(({ problem }) => problem !== null)?.problem ?? null,
      isBlind: all.length > 0 && all.every(({ isBlind }) => isBlind),
    };
  }

  /** Asks again with the next wish for what failed in a way that may pass; false: nothing did. */
  retry(): boolean {
    return this.#all.filter((loader) => loader.retry()).length > 0;
  }

  /** Marks the answers as outdated. */
  forget(): void {
    for (const loader of this.#all) {
      loader.forget();
    }
  }

  clear(): void {
    for (const loader of this.#all) {
      loader.clear();
    }
    this.#loaders.value = NONE;
  }
}

function isWaiting(loader: DensityLoader): boolean {
  return loader.state.kind === "waiting";
}
