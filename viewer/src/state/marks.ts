/** Facts of marks that the first picture needs; everything else of them is loaded late. */

import { signal } from "@preact/signals";

export function markState() {
  /** The marks that the address holds, as text. */
  const addressMarks = signal("");
  /** The height of the lane of marks below the time axis; none while there is no mark. */
  const marksLanePx = signal(0);
  /** True when the marks of the run on the screen are here, or cannot be had. */
  const areMarksKnown = signal(false);
  return { addressMarks, marksLanePx, areMarksKnown };
}
