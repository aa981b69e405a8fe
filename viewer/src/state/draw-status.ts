/** Content of the screen, in the words of the status line. Set by the painter, shown by the status bar. */

import { signal } from "@preact/signals";
import type { Ticks } from "@tilescope/client";

/** Events of the visible tracks that the view shows a part of. */
export interface EventCount {
  /** Events that start in the view, those of bins across its edges included. */
  readonly starts: number;
  /** Events of bins across the edges of the view: so many fewer may start in it. */
  readonly atEdges: number;
  /** Slices that start before the view and run in it. */
  readonly reachIn: number;
  /** True if all is exact: not where a bin lies across an edge of the view. */
  readonly isExact: boolean;
}

export interface DrawStatus {
  /** Pages that the view needs and that have not arrived. */
  readonly missingPages: number;
  /** `connecting` and `polling` are worth a word to the user. */
  readonly connection: "connecting" | "open" | "polling" | "closed";
  /** Width of the widest bins drawn, or null when every event is drawn as itself. */
  readonly binTicks: Ticks | null;
  /** Null while loading or moving. */
  readonly events: EventCount | null;
  /** Visible tracks that are not built yet. */
  readonly provisional: number;
  /** Milliseconds that the last picture took to paint. */
  readonly frameMs: number;
}

export function drawState() {
  const drawStatus = signal<DrawStatus>({
    missingPages: 0,
    connection: "connecting",
    binTicks: null,
    events: null,
    provisional: 0,
    frameMs: 0,
  });
  return { drawStatus };
}
