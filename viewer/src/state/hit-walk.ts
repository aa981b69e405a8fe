/** From hit to hit, in the order of the server: by start, then track, then ordinal. Pure. */

import { type Ticks, type ToolAnswer, type ToolQuestion, ticks } from "@tilescope/client";
import { factOf, valuesOf } from "./answer-values";

export type WalkDirection = "next" | "previous";

/** Place of an event in the order. */
export interface HitPlace {
  readonly startTicks: Ticks;
  readonly track: number;
  readonly ordinal: number;
}

export interface FoundHit extends HitPlace {
  readonly name: string;
  readonly durationTicks: Ticks;
}

/** So many hits are asked for at once: the next ones are then gone to without a wait. */
const AHEAD = 24;
/** Hits that start together beyond these are not told apart. */
const AT_ONCE = 10_000;

/** The place before everything that starts at a time: that is below 0 where a shifted clock is drawn before all others. */
export function placeBefore(startTicks: Ticks): HitPlace {
  return { startTicks: ticks(startTicks - 1n), track: 4_294_967_295, ordinal: 2 ** 53 };
}

/** The place right before an event, of which its start is known. */
export function placeRightBefore({ startTicks, track, ordinal }: HitPlace): HitPlace {
  if (ordinal > 0) {
    return { startTicks, track, ordinal: ordinal - 1 };
  }
  return track > 0 ? { startTicks, track: track - 1, ordinal: 2 ** 53 } : placeBefore(startTicks);
}

/** Asks for the hits after a place, or for those before it; without a place for the first or the last ones. */
export function beyond(query: string, from: HitPlace | null, direction: WalkDirection): ToolQuestion {
  const after = from === null ? undefined : placeText(from);
  return { query, totals: "false", limit: AHEAD, after, backward: direction === "previous" ? "true" : undefined };
}

/** Asks how many hits start until a place, and which start together with it and come later: their difference is its number. */
export function rankQuestions(query: string, place: HitPlace): readonly [ToolQuestion, ToolQuestion] {
  const endTicks = place.startTicks + 1n;
  return [
    { query, end: endTicks, limit: 0, names: 0 },
    { query, start: place.startTicks, end: endTicks, totals: "false", limit: AT_ONCE, after: placeText(place) },
  ];
}

/** The number of a place among all hits, from 1 on; null where too many start together. */
export function rankOf(until: ToolAnswer, later: ToolAnswer): number | null {
  const isWhole = later.tables.find(({ id }) => id === "events")?.more === null;
  return isWhole ? Number(factOf(until, "count")) - valuesOf(later, "events", "event").length : null;
}

/** The hits that an answer lists, in its order, and where it goes on. */
export function hitsOf(answer: ToolAnswer): { readonly hits: readonly FoundHit[]; readonly more: HitPlace | null } {
  const column = (id: string): readonly unknown[] => valuesOf(answer, "events", id);
  const [start, duration, name] = [column("start"), column("duration"), column("name")];
  const hits = column("event").map((event, k) => {
    const [track, ordinal] = String(event).split(".").map(Number);
    return {
      ...{ track: track!, ordinal: ordinal!, name: String(name[k]) },
      startTicks: ticks(String(start[k])),
      durationTicks: ticks(String(duration[k])),
    };
  });
  const more = answer.tables.find(({ id }) => id === "events")?.more?.split(",");
  return { hits, more: more === undefined ? null : placeOf(more) };
}

export function compareHits(a: HitPlace, b: HitPlace): number {
  if (a.startTicks !== b.startTicks) {
    return a.startTicks < b.startTicks ? -1 : 1;
  }
  return a.track - b.track || a.ordinal - b.ordinal;
}

/** Places before all hits and behind them. */
const FIRST: HitPlace = { startTicks: ticks(-(2n ** 63n)), track: 0, ordinal: 0 };
const LAST: HitPlace = { startTicks: ticks(2n ** 63n), track: 0, ordinal: 0 };

/** Hits that follow each other without a gap, and between which places they are all. */
export class HitRun {
  #hits: readonly FoundHit[] = [];
  #low = LAST;
  #high = FIRST;

  forget(): void {
    this.#hits = [];
    [this.#low, this.#high] = [LAST, FIRST];
  }

  /** Takes the hits beyond a place, nearest first; `isAll`: there are no others. They go on what is known around that place. */
  add(from: HitPlace | null, direction: WalkDirection, hits: readonly FoundHit[], isAll: boolean): void {
    const isNext = direction === "next";
    const place = from ?? (isNext ? FIRST : LAST);
    // An edge may be a hit that is not among those kept: it was a place to ask from.
    const isInside = compareHits(this.#low, place) < 0 && compareHits(place, this.#high) < 0;
    const isAround = isInside || this.#hits.some((hit) => compareHits(hit, place) === 0);
    const isKept = (hit: HitPlace) => isAround && compareHits(hit, place) * (isNext ? 1 : -1) <= 0;
    const kept = this.#hits.filter(isKept);
    const edge = isAll ? (isNext ? LAST : FIRST) : (hits.at(-1) ?? place);
    this.#hits = isNext ? [...kept, ...hits] : [...hits.toReversed(), ...kept];
    if (isNext) {
      [this.#low, this.#high] = [isAround ? this.#low : place, edge];
    } else {
      [this.#low, this.#high] = [edge, isAround ? this.#high : place];
    }
  }

  /** The first hit beyond a place; null where there is none, undefined where that has to be asked for. */
  beyond(from: HitPlace | null, direction: WalkDirection): FoundHit | null | undefined {
    const isNext = direction === "next";
    const place = from ?? (isNext ? FIRST : LAST);
    if (compareHits(place, this.#low) < 0 || compareHits(place, this.#high) > 0) {
      return undefined;
    }
    const hit = isNext
      ? this.#hits.find((each) => compareHits(each, place) > 0)
      : this.#hits.findLast((each) => compareHits(each, place) < 0);
    return hit ?? ((isNext ? this.#high === LAST : this.#low === FIRST) ? null : undefined);
  }
}

function placeOf([start, track, ordinal]: readonly string[]): HitPlace {
  return { startTicks: ticks(start!), track: Number(track), ordinal: Number(ordinal) };
}

function placeText({ startTicks, track, ordinal }: HitPlace): string {
  return `${startTicks},${track},${ordinal}`;
}
