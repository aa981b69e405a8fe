/** The table of what fingers do on the timeline: dispatch, the help dialog and `docs/keys.md` are made from it. */

import type { Gesture } from "./gestures";

export type TouchInput = "drag" | "pinch" | "tap" | "double-tap" | "long-press";

export interface TouchBinding {
  readonly input: TouchInput;
  readonly gesture: Gesture;
  readonly shown: string;
  readonly label: string;
}

export const TOUCH_TABLE: readonly TouchBinding[] = [
  { input: "drag", gesture: "pan", shown: "One finger", label: "Pan, and scroll the tracks" },
  { input: "pinch", gesture: "zoom-at-pointer", shown: "Two fingers", label: "Zoom at their middle, and pan" },
  { input: "tap", gesture: "select-event", shown: "Tap", label: "Show details" },
  { input: "double-tap", gesture: "zoom-to-event", shown: "Double tap", label: "Zoom to the slice" },
  { input: "long-press", gesture: "select-area", shown: "Long press, then drag", label: "Select a time range" },
];

export function touchGestureOf(input: TouchInput): Gesture {
  return TOUCH_TABLE.find((entry) => entry.input === input)!.gesture;
}
