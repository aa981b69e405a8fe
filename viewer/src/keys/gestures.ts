/** Gestures of the mouse. `gestureOf` is the dispatch; `gesture-table.ts` has it in words. */

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
}

export const GESTURES: readonly GestureBinding[] = [
  { input: "wheel", modifier: "none", gesture: "scroll-tracks" },
  { input: "wheel", modifier: "ctrl", gesture: "zoom-at-pointer" },
  { input: "wheel", modifier: "shift", gesture: "pan" },
  { input: "horizontal-wheel", modifier: "none", gesture: "pan" },
  { input: "left-drag", modifier: "none", gesture: "select-area" },
  { input: "left-drag", modifier: "none", tool: "pan", gesture: "pan" },
  { input: "left-drag", modifier: "none", tool: "zoom", gesture: "zoom-by-height" },
  { input: "left-drag", modifier: "none", tool: "timing", gesture: "measure" },
  { input: "left-drag", modifier: "shift", gesture: "pan" },
  { input: "left-drag", modifier: "space", gesture: "pan" },
  { input: "middle-drag", modifier: "none", gesture: "zoom-to-range" },
  { input: "click", modifier: "none", gesture: "select-event" },
  { input: "click", modifier: "none", tool: "timing", gesture: "measure-event" },
  { input: "click", modifier: "ctrl", gesture: "add-event" },
  { input: "double-click", modifier: "none", gesture: "zoom-to-event" },
];

/** The gesture of an input with a tool, or undefined where the table has none (a horizontal wheel with ctrl is nothing). */
export function gestureOf(input: MouseInput, modifier: Modifier, tool: ToolMode = "select"): Gesture | undefined {
  const find = (wanted?: ToolMode) =>
    GESTURES.find((entry) => entry.input === input && entry.modifier === modifier && entry.tool === wanted);
  return (find(tool) ?? find())?.gesture;
}
