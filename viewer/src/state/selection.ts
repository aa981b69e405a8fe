/** The selection, and what the pointer is over. */

import { signal } from "@preact/signals";
import type { TickRange, Ticks, TileName } from "@tilescope/client";
import type { ExactSums } from "../raster/hit";

/** A slice, instant or counter sample, by its name everywhere: track and ordinal. */
export interface EventSelection {
  readonly kind: "event";
  readonly track: number;
  readonly ordinal: number;
}

/** The facts of an aggregated bin, as its tile has them. */
export interface BinFacts extends TileName {
  readonly row: number;
  /** Number of the bin in its tile. */
  readonly place: number;
  /** As it is drawn: the tile has the time that was recorded. */
  readonly startTicks: Ticks;
  readonly widthTicks: Ticks;
  readonly count: number;
  /** Dominant name, and its share of the busy time in [0, 1]. */
  readonly name: number;
  readonly share: number;
  /** Busy time and longest slice; null until they have been fetched. */
  readonly exact: ExactSums | null;
}

export interface BinSelection {
  readonly kind: "bin";
  readonly bin: BinFacts;
}

/** A time range on some tracks: these and no others, wherever they are moved on the screen later. */
export interface AreaSelection {
  readonly kind: "area";
  readonly range: TickRange;
  readonly tracks: ReadonlySet<number>;
}

/** Slices that were picked one by one, two at least. */
export interface SeveralSelection {
  readonly kind: "several";
  readonly events: readonly Omit<EventSelection, "kind">[];
}

export type Selection = { readonly kind: "none" } | EventSelection | SeveralSelection | BinSelection | AreaSelection;

/** The tracks of what is selected. */
export function tracksOf(chosen: Selection): readonly number[] {
  switch (chosen.kind) {
    case "none":
      return [];
    case "area":
      return [...chosen.tracks];
    case "several":
      return chosen.events.map(({ track }) => track);
    default:
      return [chosen.kind === "bin" ? chosen.bin.track : chosen.track];
  }
}

/** The track of what was selected last; null of areas, which have many. */
export function trackOf(chosen: Selection): number | null {
  return chosen.kind === "area" ? null : (tracksOf(chosen).at(-1) ?? null);
}

export const NOTHING: Selection = { kind: "none" };

export function selectionState() {
  const selection = signal<Selection>(NOTHING);
  /** The time range of the selected event, once it is known: for F, R and the marks on the axis. */
  const selectedRange = signal<TickRange | null>(null);
  /** The area that is being dragged out; becomes the selection when the button is released. */
  const draftArea = signal<{ readonly area: AreaSelection; readonly isZoom: boolean } | null>(null);
  return { selection, selectedRange, draftArea };
}

export type SelectionState = ReturnType<typeof selectionState>;
