/** What the pointer is over, and where the pointer is (in the window, CSS pixels): for the tooltip. */

import { signal } from "@preact/signals";
import type { Pointed } from "../timeline/pointing";

export interface Hover {
  readonly pointed: Pointed;
  readonly clientXPx: number;
  readonly clientYPx: number;
}

export const hover = signal<Hover | null>(null);
