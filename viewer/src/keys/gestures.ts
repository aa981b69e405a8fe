/**
 * The table of what the mouse does. `gestureOf` is the dispatch, the help dialog and `docs/keys.md` list the labels.
 */

export type MouseInput = "wheel" | "horizontal-wheel" | "left-drag" | "middle-drag" | "click" | "double-click";
export type Modifier = "none" | "ctrl" | "shift" | "space";

export type Gesture =
  | "scroll-tracks"
  | "zoom-at-pointer"
  | "pan"
  | "select-area"
  | "zoom-to-range"
  | "select-event"
  | "zoom-to-event";

export interface GestureBinding {
  readonly input: MouseInput;
  readonly modifier: Modifier;
  readonly gesture: Gesture;
  readonly shown: string;
  readonly label: string;
}

export const GESTURE_TABLE: readonly GestureBinding[] = [
  { input: "wheel", modifier: "none", gesture: "scroll-tracks", shown: "Wheel", label: "Scroll the tracks" },
  {
    input: "wheel",
    modifier: "ctrl",
    gesture: "zoom-at-pointer",
    shown: "Ctrl + wheel, pinch",
    label: "Zoom at the pointer",
  },
  { input: "wheel", modifier: "shift", gesture: "pan", shown: "Shift + wheel", label: "Pan" },
  { input: "horizontal-wheel", modifier: "none", gesture: "pan", shown: "Horizontal wheel", label: "Pan" },
  { input: "left-drag", modifier: "none", gesture: "select-area", shown: "Drag", label: "Select a time range" },
  { input: "left-drag", modifier: "shift", gesture: "pan", shown: "Shift + drag", label: "Pan" },
  { input: "left-drag", modifier: "space", gesture: "pan", shown: "Space + drag", label: "Pan" },
  {
    input: "middle-drag",
    modifier: "none",
    gesture: "zoom-to-range",
    shown: "Middle drag",
    label: "Zoom to the range",
  },
  { input: "click", modifier: "none", gesture: "select-event", shown: "Click", label: "Show details" },
  {
    input: "double-click",
    modifier: "none",
    gesture: "zoom-to-event",
    shown: "Double click",
    label: "Zoom to the slice",
  },
];

/** The gesture of an input, or undefined where the table has none (a horizontal wheel with ctrl is nothing). */
export function gestureOf(input: MouseInput, modifier: Modifier): Gesture | undefined {
  return GESTURE_TABLE.find((entry) => entry.input === input && entry.modifier === modifier)?.gesture;
}
