/**
 * The table of what the mouse does. `gestureOf` is the dispatch, the help dialog and `docs/keys.md` list the labels.
 */

/** Meaning of a plain drag; keys 1 to 4. */
export type ToolMode = "select" | "pan" | "zoom" | "timing";

export type MouseInput = "wheel" | "horizontal-wheel" | "left-drag" | "middle-drag" | "click" | "double-click";
export type Modifier = "none" | "ctrl" | "shift" | "space";

export type Gesture =
  | "scroll-tracks"
  | "zoom-at-pointer"
  | "pan"
  | "select-area"
  | "zoom-to-range"
  | "zoom-by-height"
  | "measure"
  | "select-event"
  | "measure-event"
  | "add-event"
  | "zoom-to-event";

export interface GestureBinding {
  readonly input: MouseInput;
  readonly modifier: Modifier;
  /** Only with this tool; none: whatever the tool, but for rows that name it. */
  readonly tool?: ToolMode;
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
  {
    input: "left-drag",
    modifier: "none",
    gesture: "select-area",
    shown: "Drag",
    label: "Select a time range from edge to edge of slices; with ctrl without snapping",
  },
  { input: "left-drag", modifier: "none", tool: "pan", gesture: "pan", shown: "Drag, tool 2", label: "Pan" },
  {
    input: "left-drag",
    modifier: "none",
    tool: "zoom",
    gesture: "zoom-by-height",
    shown: "Drag, tool 3",
    label: "Zoom: up is in, down is out",
  },
  {
    input: "left-drag",
    modifier: "none",
    tool: "timing",
    gesture: "measure",
    shown: "Drag, tool 4",
    label: "Measure time from edge to edge, or move an end of the measurement; with ctrl without snapping",
  },
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
    input: "click",
    modifier: "none",
    tool: "timing",
    gesture: "measure-event",
    shown: "Click, tool 4",
    label: "Measure the slice; elsewhere: remove the measurement",
  },
  {
    input: "click",
    modifier: "ctrl",
    gesture: "add-event",
    shown: "Ctrl + click",
    label: "Add to the selection, or remove from it",
  },
  {
    input: "double-click",
    modifier: "none",
    gesture: "zoom-to-event",
    shown: "Double click",
    label: "Zoom to the slice",
  },
];

/** The gesture of an input with a tool, or undefined where the table has none (a horizontal wheel with ctrl is nothing). */
export function gestureOf(input: MouseInput, modifier: Modifier, tool: ToolMode = "select"): Gesture | undefined {
  const find = (wanted?: ToolMode) =>
    GESTURE_TABLE.find((entry) => entry.input === input && entry.modifier === modifier && entry.tool === wanted);
  return (find(tool) ?? find())?.gesture;
}
