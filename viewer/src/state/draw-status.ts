/** What is on the screen, in the words of the status line. Set by the painter, shown by the status bar. */

import { signal } from "@preact/signals";
import type { Ticks } from "@tilescope/client";

export interface DrawStatus {
  /** Pages that the view needs and that have not arrived. */
  readonly missingPages: number;
  /** `connecting` and `polling` are worth a word to the user. */
  readonly connection: "connecting" | "open" | "polling" | "closed";
  /** Width of the widest bins drawn, or null when every event is drawn as itself. */
  readonly binTicks: Ticks | null;
  /** Events of the visible tracks that start in the view, bins at its edges counted whole; null while loading or moving. */
  readonly events: number | null;
  /** Milliseconds that the last picture took to paint. */
  readonly frameMs: number;
}

export const drawStatus = signal<DrawStatus>({
  missingPages: 0,
  connection: "connecting",
  binTicks: null,
  events: null,
  frameMs: 0,
});
