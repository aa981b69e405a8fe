/** Target and position of the pointer (in the window, CSS pixels): for the tooltip. */

import { signal } from "@preact/signals";
import type { Ticks } from "@tilescope/client";
import type { CounterBinHit, SampleHit, SliceHit } from "../raster/hit";
import type { BinFacts } from "./selection";

/** Target under the pointer. */
export type Pointed =
  | { readonly kind: "slice"; readonly hit: SliceHit; readonly isInstant: boolean }
  | { readonly kind: "bin"; readonly bin: BinFacts; readonly lanes: number }
  | { readonly kind: "counter"; readonly hit: SampleHit | CounterBinHit }
  | { readonly kind: "provisional"; readonly bin: ProvisionalBin };

/** A bin of a track that is not built yet. */
export interface ProvisionalBin {
  readonly track: number;
  readonly startTicks: Ticks;
  readonly widthTicks: Ticks;
  /** Maximum of its busy share, 0 to 1; of counters, height of the value. */
  readonly part: number;
}

export interface Hover {
  readonly pointed: Pointed;
  readonly clientXPx: number;
  readonly clientYPx: number;
}

export function hoverState() {
  return { hover: signal<Hover | null>(null) };
}
