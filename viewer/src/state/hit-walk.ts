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

/** The place before everything that starts at a time. */
export function placeBefore(startTicks: Ticks): HitPlace | null {
  return startTicks > 0n ? { startTicks: ticks(startTicks - 1n), track: 4_294_967_295, ordinal: 2 ** 53 } : null;
}

/** The place right before an event, of which its start is known. */
export function placeRightBefore({ startTicks, track, ordinal }: HitPlace): HitPlace | null {
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

/** Hits that follow each other without a gap, as far as they are known. */
export class HitRun {
  #hits: readonly FoundHit[] = [];

  forget(): void {
    this.#hits = [];
  }

  /** Takes the hits that follow a place, or precede it, nearest first; they go on what is known where that has the place. */
  add(from: HitPlace | null, direction: WalkDirection, hits: readonly FoundHit[]): void {
    const ascending = direction === "next" ? hits : hits.toReversed();
    const edge = direction === "next" ? this.#hits.at(-1) : this.#hits[0];
    const goesOn = from !== null && edge !== undefined && compareHits(edge, from) === 0;
    const kept = goesOn ? this.#hits : [];
    this.#hits = direction === "next" ? [...kept, ...ascending] : [...ascending, ...kept];
  }

  /** The hit beside one that is known; undefined where that has to be asked for. */
  beside(from: HitPlace | null, direction: WalkDirection): FoundHit | undefined {
    const index = from === null ? -1 : this.#hits.findIndex((hit) => compareHits(hit, from) === 0);
    return index < 0 ? undefined : this.#hits[index + (direction === "next" ? 1 : -1)];
  }
}

function placeOf([start, track, ordinal]: readonly string[]): HitPlace {
  return { startTicks: ticks(start!), track: Number(track), ordinal: Number(ordinal) };
}

function placeText({ startTicks, track, ordinal }: HitPlace): string {
  return `${startTicks},${track},${ordinal}`;
}
