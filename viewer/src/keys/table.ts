/**
 * The one table of keys. Dispatch, tooltips, the help dialog and `docs/keys.md` are all made from it, so that none of
 * them can say something that the others do not.
 */

/** What the user wants. The components know how; this module does not. */
export type Intent =
  | "zoom-in"
  | "zoom-out"
  | "pan-left"
  | "pan-right"
  | "step-zoom-in"
  | "step-zoom-out"
  | "fit-run"
  | "focus-selection"
  | "previous-slice"
  | "next-slice"
  | "parent-slice"
  | "child-slice"
  | "flow-back"
  | "flow-forward"
  | "slice-to-area"
  | "clear"
  | "toggle-drawer"
  | "toggle-grid"
  | "toggle-theme"
  | "show-help";

export type KeyGroup = "Move" | "Select" | "Show";

/**
 * One key. `code` names a place on the keyboard (the same on a French one), `key` names what the key types.
 * A letter in `key` is lower case; shift is ignored unless the character itself needs it.
 */
export type Chord =
  | { readonly by: "code"; readonly value: string; readonly shown: string }
  | { readonly by: "key"; readonly value: string; readonly shown: string };

export interface Binding {
  readonly keys: readonly Chord[];
  readonly intent: Intent;
  readonly label: string;
  readonly group: KeyGroup;
  /** Acts for as long as the key is down, faster with shift. */
  readonly held: boolean;
}

function place(code: string, shown: string): Chord {
  return { by: "code", value: code, shown };
}

function typed(value: string, shown: string = value): Chord {
  return { by: "key", value, shown };
}

export const KEY_TABLE: readonly Binding[] = [
  { keys: [place("KeyW", "W")], intent: "zoom-in", label: "Zoom in at the pointer", group: "Move", held: true },
  { keys: [place("KeyS", "S")], intent: "zoom-out", label: "Zoom out at the pointer", group: "Move", held: true },
  { keys: [place("KeyA", "A")], intent: "pan-left", label: "Pan left", group: "Move", held: true },
  { keys: [place("KeyD", "D")], intent: "pan-right", label: "Pan right", group: "Move", held: true },
  { keys: [typed("+"), typed("=")], intent: "step-zoom-in", label: "Zoom in one step", group: "Move", held: false },
  { keys: [typed("-"), typed("_")], intent: "step-zoom-out", label: "Zoom out one step", group: "Move", held: false },
  { keys: [typed("0")], intent: "fit-run", label: "Show the whole trace", group: "Move", held: false },
  {
    keys: [typed("f", "F")],
    intent: "focus-selection",
    label: "Centre on the selection; again: fit it",
    group: "Move",
    held: false,
  },
  {
    keys: [typed("ArrowLeft", "←"), typed(",")],
    intent: "previous-slice",
    label: "Previous slice on the track; pan left when nothing is selected",
    group: "Select",
    held: false,
  },
  {
    keys: [typed("ArrowRight", "→"), typed(".")],
    intent: "next-slice",
    label: "Next slice on the track; pan right when nothing is selected",
    group: "Select",
    held: false,
  },
  { keys: [typed("ArrowUp", "↑")], intent: "parent-slice", label: "Parent slice", group: "Select", held: false },
  { keys: [typed("ArrowDown", "↓")], intent: "child-slice", label: "First child slice", group: "Select", held: false },
  {
    keys: [typed("[")],
    intent: "flow-back",
    label: "Go to the slice that a flow comes from",
    group: "Select",
    held: false,
  },
  {
    keys: [typed("]")],
    intent: "flow-forward",
    label: "Go to the slice that a flow leads to",
    group: "Select",
    held: false,
  },
  {
    keys: [typed("r", "R")],
    intent: "slice-to-area",
    label: "Select the slice's time range",
    group: "Select",
    held: false,
  },
  { keys: [typed("Escape", "Esc")], intent: "clear", label: "Clear the selection", group: "Select", held: false },
  { keys: [typed("q", "Q")], intent: "toggle-drawer", label: "Details drawer", group: "Show", held: false },
  { keys: [typed("g", "G")], intent: "toggle-grid", label: "Grid lines", group: "Show", held: false },
  {
    keys: [typed("t", "T")],
    intent: "toggle-theme",
    label: "Light, dark or the system's theme",
    group: "Show",
    held: false,
  },
  { keys: [typed("?")], intent: "show-help", label: "This help", group: "Show", held: false },
];

/** The keys of an intent as one writes them: `"W"`, `"+ ="`. */
export function keysOf(intent: Intent): string {
  const binding = KEY_TABLE.find((entry) => entry.intent === intent);
  return binding === undefined ? "" : binding.keys.map((chord) => chord.shown).join(" ");
}

/** A tooltip: `("Whole trace", "fit-run")` → `"Whole trace (0)"`. */
export function withKeys(text: string, intent: Intent): string {
  const keys = keysOf(intent);
  return keys === "" ? text : `${text} (${keys})`;
}
