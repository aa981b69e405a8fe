/** Facts of marks that the first picture needs; everything else of them is loaded late. */

import { signal } from "@preact/signals";

/** The marks that the address holds, as text. */
export const addressMarks = signal("");

/** The height of the lane of marks below the time axis; none while there is no mark. */
export const marksLanePx = signal(0);

/** True when the marks of the run on the screen are here, or cannot be had. */
export const areMarksKnown = signal(false);

/** True if the list of marks is shown in place of the details. */
export const isMarksOpen = signal(false);
