/** The table of what the mouse does, in words: for the help dialog and `docs/keys.md`, none of which the first picture needs. */

import { GESTURES, type GestureBinding } from "./gestures";

export interface GestureText {
  readonly shown: string;
  readonly label: string;
}

/** By place in `GESTURES`. */
const TEXTS: readonly GestureText[] = [
  { shown: "Wheel", label: "Scroll the tracks" },
  { shown: "Ctrl + wheel, pinch", label: "Zoom at the pointer" },
  { shown: "Shift + wheel", label: "Pan" },
  { shown: "Horizontal wheel", label: "Pan" },
  { shown: "Drag", label: "Select a time range from edge to edge of slices; with ctrl without snapping" },
  { shown: "Drag, tool 2", label: "Pan" },
  { shown: "Drag, tool 3", label: "Zoom: up is in, down is out" },
  {
    shown: "Drag, tool 4",
    label: "Measure time from edge to edge, or move an end of the measurement; with ctrl without snapping",
  },
  { shown: "Shift + drag", label: "Pan" },
  { shown: "Space + drag", label: "Pan" },
  { shown: "Middle drag", label: "Zoom to the range" },
  { shown: "Click", label: "Show details" },
  { shown: "Click, tool 4", label: "Measure the slice; elsewhere: remove the measurement" },
  { shown: "Ctrl + click", label: "Add to the selection, or remove from it" },
  { shown: "Double click", label: "Zoom to the slice" },
];

export const GESTURE_TABLE: readonly (GestureBinding & GestureText)[] = GESTURES.map((binding, place) => ({
  ...binding,
  ...TEXTS[place]!,
}));
