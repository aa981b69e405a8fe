/**
 * The one table of keys. Dispatch, tooltips, the help dialog and `docs/keys.md` are all made from it, so that none of
 * them can say something that the others do not.
 */

/** Intents that act for as long as their key is down, faster with shift. */
export type HeldIntent = "zoom-in" | "zoom-out" | "pan-left" | "pan-right";

/** Intents about running jobs, on any page: by code that is loaded when it is first asked for. */
export type JobIntent = "show-capture" | "show-monitor";

/** Intents about files of this computer, in the same way. */
export type FileIntent = "open-file";

/** Intents that move the focus from region to region of the page, in the same way. */
export type RegionIntent = "next-region" | "previous-region";

/** Intents that act once for each press, on any page. */
export type ShellIntent =
  | "show-palette"
  | "toggle-page"
  | "toggle-theme"
  | "show-help"
  | JobIntent
  | FileIntent
  | RegionIntent;

/** Intents that act once for each press, in the timeline. */
export type TimelineIntent =
  | "step-zoom-in"
  | "step-zoom-out"
  | "fit-run"
  | "focus-selection"
  | "enter-slice"
  | "enter-bin"
  | "previous-slice"
  | "next-slice"
  | "parent-slice"
  | "child-slice"
  | "slice-to-area"
  | "clear"
  | "search"
  | "next-hit"
  | "previous-hit"
  | "clear-search"
  | "filter-tracks"
  | "find-track"
  | "pin-track"
  | "hide-track"
  | "move-track-up"
  | "move-track-down"
  | "track-figures"
  | "first-event"
  | "last-event"
  | "toggle-empty"
  | "toggle-drawer"
  | "toggle-grid"
  | "toggle-memory"
  | "toggle-table";

/** Intents that act once for each press, in the timeline, by code that is loaded after the first picture. */
export type LateIntent =
  | "select-tool"
  | "pan-tool"
  | "zoom-tool"
  | "timing-tool"
  | "flow-back"
  | "flow-forward"
  | "previous-of-name"
  | "next-of-name"
  | "mark"
  | "keep-mark"
  | "remove-mark"
  | "toggle-marks"
  | "time-format"
  | "copy-link";

/** Intents about the second timeline, by code that is loaded when it is first asked for. */
export type PaneIntent = "split-beside" | "split-below" | "close-second" | "other-pane" | "link-panes";

export type PressIntent = TimelineIntent | LateIntent | PaneIntent | ShellIntent;

/** Intent of the user. The components carry it out; this module only names it. */
export type Intent = HeldIntent | PressIntent;

export type KeyGroup = "Move" | "Select" | "Search" | "Mark" | "Tracks" | "Panes" | "Show";

/** The groups in the order of the help. */
export const KEY_GROUPS: readonly KeyGroup[] = ["Move", "Select", "Search", "Mark", "Tracks", "Panes", "Show"];

export type KeyModifier = "alt" | "ctrl";

/**
 * One key. `code` names a place on the keyboard (the same on a French one), `key` names what the key types.
 * A letter in `key` is lower case; shift is ignored unless the character itself needs it. `modifier` is held with it, and so is
 * shift, where the same key without shift is another one's.
 */
export interface Chord {
  readonly by: "code" | "key";
  readonly value: string;
  readonly shown: string;
  readonly modifier?: KeyModifier;
  readonly shift?: true;
}

interface KeyRow {
  readonly keys: readonly Chord[];
  readonly label: string;
  readonly group: KeyGroup;
  /** True if the intent repeats while its key is held; without it, switches and the like are thrown once for each press. */
  readonly repeats?: true;
  /** Means something else to buttons and links, and is left to them. */
  readonly isOfControls?: true;
  /** It is a key of the search's box, and of nothing else. */
  readonly inSearch?: true;
}

/** A row of the table: `held` ones act for as long as the key is down; `isShared` ones are there on all pages. */
export type Binding = KeyRow &
  (
    | { readonly held: true; readonly intent: HeldIntent; readonly isShared: false }
    | { readonly held: false; readonly intent: TimelineIntent | LateIntent | PaneIntent; readonly isShared: false }
    | { readonly held: false; readonly intent: ShellIntent; readonly isShared: true }
  );

/** The key at a place of the keyboard, whatever the layout types there. */
export function place(code: string, shown: string): Chord {
  return { by: "code", value: code, shown };
}

/** The key that types a character, or has a name such as `Escape`. */
export function typed(value: string, shown: string = value): Chord {
  return { by: "key", value, shown };
}

/** A key with another that is held. */
export function withModifier(modifier: KeyModifier, { shown, ...chord }: Chord): Chord {
  return { ...chord, modifier, shown: `${modifier === "alt" ? "Alt" : "Ctrl"}+${shown}` };
}

/** A key with shift, where the key alone is another one's. */
export function withShift({ shown, ...chord }: Chord): Chord {
  return { ...chord, shift: true, shown: `Shift+${shown}` };
}

/** A row of what is loaded late. */
function late(group: KeyGroup, intent: LateIntent | PaneIntent, label: string, ...keys: readonly Chord[]): Binding {
  return { keys, intent, label, group, held: false, isShared: false };
}

/** A row of what is loaded late, on any page. */
function shared(
  group: KeyGroup,
  intent: JobIntent | FileIntent | RegionIntent,
  label: string,
  ...keys: readonly Chord[]
): Binding {
  return { keys, intent, label, group, held: false, isShared: true };
}

/** A row of the search; `inSearch` ones are keys of its box. */
function search(intent: TimelineIntent, label: string, keys: readonly Chord[], inSearch?: true): Binding {
  return { keys, intent, label, group: "Search", held: false, isShared: false, ...(inSearch && { inSearch }) };
}

export const KEY_TABLE: readonly Binding[] = [
  {
    keys: [place("KeyW", "W")],
    intent: "zoom-in",
    label: "Zoom in at the pointer",
    group: "Move",
    held: true,
    isShared: false,
  },
  {
    keys: [place("KeyS", "S")],
    intent: "zoom-out",
    label: "Zoom out at the pointer",
    group: "Move",
    held: true,
    isShared: false,
  },
  { keys: [place("KeyA", "A")], intent: "pan-left", label: "Pan left", group: "Move", held: true, isShared: false },
  { keys: [place("KeyD", "D")], intent: "pan-right", label: "Pan right", group: "Move", held: true, isShared: false },
  {
    keys: [typed("+"), typed("=")],
    intent: "step-zoom-in",
    label: "Zoom in one step",
    group: "Move",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("-"), typed("_")],
    intent: "step-zoom-out",
    label: "Zoom out one step",
    group: "Move",
    held: false,
    isShared: false,
  },
  { keys: [typed("0")], intent: "fit-run", label: "Show the whole trace", group: "Move", held: false, isShared: false },
  {
    keys: [typed("f", "F")],
    intent: "focus-selection",
    label: "Centre on the selection; again: fit it",
    group: "Move",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("Enter")],
    intent: "enter-slice",
    label: "Select the first slice in view on the focused track; again: go to its details",
    group: "Select",
    isOfControls: true,
    held: false,
    isShared: false,
  },
  {
    keys: [withShift(typed("Enter"))],
    intent: "enter-bin",
    label: "Select the first bin or slice that is drawn on the focused track; arrows continue from there",
    group: "Select",
    isOfControls: true,
    held: false,
    isShared: false,
  },
  {
    keys: [typed("ArrowLeft", "←"), typed(",")],
    intent: "previous-slice",
    label: "Previous slice on the track; pan left when nothing is selected",
    group: "Select",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("ArrowRight", "→"), typed(".")],
    intent: "next-slice",
    label: "Next slice on the track; pan right when nothing is selected",
    group: "Select",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("ArrowUp", "↑")],
    intent: "parent-slice",
    label: "Parent slice",
    group: "Select",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("ArrowDown", "↓")],
    intent: "child-slice",
    label: "First child slice",
    group: "Select",
    held: false,
    isShared: false,
  },
  late("Select", "flow-back", "Go to the slice that a flow comes from", typed("[")),
  late("Select", "flow-forward", "Go to the slice that a flow leads to", typed("]")),
  late("Select", "next-of-name", "Next slice of the same name on the track", typed("k", "K")),
  late("Select", "previous-of-name", "Previous slice of the same name on the track", withShift(typed("k", "K"))),
  {
    keys: [typed("r", "R")],
    intent: "slice-to-area",
    label: "Turn the selection into a time range",
    group: "Select",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("Escape", "Esc")],
    intent: "clear",
    label: "Clear the selection; again: close the details, end the search",
    group: "Select",
    held: false,
    isShared: false,
  },
  search("search", "Search the events of the run", [typed("/"), withModifier("ctrl", typed("f", "F"))]),
  search("next-hit", "In the search: to the next hit", [typed("Enter")], true),
  search("previous-hit", "In the search: to the previous hit", [withShift(typed("Enter"))], true),
  search("clear-search", "In the search: clear it", [typed("Escape", "Esc")], true),
  late("Mark", "select-tool", "Tool: a drag selects a time range", typed("1")),
  late("Mark", "pan-tool", "Tool: a drag pans", typed("2")),
  late("Mark", "zoom-tool", "Tool: a drag up zooms in, a drag down zooms out", typed("3")),
  late("Mark", "timing-tool", "Tool: a drag measures time, a click measures a slice", typed("4")),
  late("Mark", "mark", "Mark the selection's time, until another is marked; again: remove it", typed("m", "M")),
  late("Mark", "keep-mark", "Mark the selection's time, and keep the mark", withShift(typed("m", "M"))),
  late("Mark", "remove-mark", "Remove the mark or the measurement", typed("Delete", "Del"), typed("Backspace", "⌫")),
  late("Mark", "toggle-marks", "List of marks and notes", typed("n", "N")),
  {
    keys: [typed("l", "L")],
    intent: "filter-tracks",
    label: "Filter tracks by name; Esc shows all again",
    group: "Tracks",
    held: false,
    isShared: false,
  },
  {
    keys: [withModifier("ctrl", typed("p", "P"))],
    intent: "find-track",
    label: "Find a track or group by name, and go to it",
    group: "Tracks",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("p", "P")],
    intent: "pin-track",
    label: "Pin the track or group to the top; again: back to its place",
    group: "Tracks",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("h", "H")],
    intent: "hide-track",
    label: "Hide the track or group",
    group: "Tracks",
    held: false,
    isShared: false,
  },
  {
    keys: [withModifier("alt", typed("ArrowUp", "↑"))],
    intent: "move-track-up",
    label: "Move the track or group up",
    group: "Tracks",
    repeats: true,
    held: false,
    isShared: false,
  },
  {
    keys: [withModifier("alt", typed("ArrowDown", "↓"))],
    intent: "move-track-down",
    label: "Move the track or group down",
    group: "Tracks",
    repeats: true,
    held: false,
    isShared: false,
  },
  {
    keys: [typed("i", "I")],
    intent: "track-figures",
    label: "Statistics of the track or group",
    group: "Tracks",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("<")],
    intent: "first-event",
    label: "Go to the first event of the track or group",
    group: "Tracks",
    held: false,
    isShared: false,
  },
  {
    keys: [typed(">")],
    intent: "last-event",
    label: "Go to the last event of the track or group",
    group: "Tracks",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("e", "E")],
    intent: "toggle-empty",
    label: "Show or hide empty tracks",
    group: "Tracks",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("q", "Q")],
    intent: "toggle-drawer",
    label: "Details drawer",
    group: "Show",
    held: false,
    isShared: false,
  },
  {
    keys: [typed("b", "B")],
    intent: "toggle-table",
    label: "Table of the slices in view, and back",
    group: "Show",
    held: false,
    isShared: false,
  },
  { keys: [typed("g", "G")], intent: "toggle-grid", label: "Grid lines", group: "Show", held: false, isShared: false },
  {
    keys: [typed("x", "X")],
    intent: "toggle-memory",
    label: "Memory in use, with its track",
    group: "Show",
    held: false,
    isShared: false,
  },
  late("Show", "time-format", "Time since the start, as ticks or as UTC", typed("u", "U")),
  late("Show", "copy-link", "Copy a link to what is shown", typed("c", "C")),
  late("Panes", "split-beside", "Second timeline beside this one", typed("F8")),
  late("Panes", "split-below", "Second timeline below this one", typed("F9")),
  late("Panes", "other-pane", "To the other timeline", withShift(typed("y", "Y"))),
  late("Panes", "link-panes", "Zoom both timelines together, or each by itself", typed("y", "Y")),
  late("Panes", "close-second", "Close the second timeline", withShift(typed("F8"))),
  shared("Show", "next-region", "To the next region: header, timeline, details; form, chart, table", typed("F6")),
  shared("Show", "previous-region", "To the region before", withShift(typed("F6"))),
  {
    keys: [withModifier("ctrl", withShift(typed("p", "P"))), typed("F1")],
    intent: "show-palette",
    label: "Command palette",
    group: "Show",
    held: false,
    isShared: true,
  },
  shared("Show", "open-file", "Open a file or a folder", typed("o", "O")),
  shared("Show", "show-capture", "Capture a trace from a running job", typed("j", "J")),
  shared("Show", "show-monitor", "Monitor a running job", withShift(typed("j", "J"))),
  {
    keys: [typed("v", "V")],
    intent: "toggle-page",
    label: "From a page to the timeline, and back",
    group: "Show",
    held: false,
    isShared: true,
  },
  {
    keys: [typed("t", "T")],
    intent: "toggle-theme",
    label: "Light, dark or the system's theme",
    group: "Show",
    held: false,
    isShared: true,
  },
  { keys: [typed("?")], intent: "show-help", label: "This help", group: "Show", held: false, isShared: true },
];

/** The keys that act for as long as they are down, as one writes them: `"W, S, A or D"`. */
export function heldKeys(): string {
  const keys = KEY_TABLE.filter((binding) => binding.held).flatMap(({ keys }) => keys.map((chord) => chord.shown));
  return `${keys.slice(0, -1).join(", ")} or ${keys.at(-1)}`;
}

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
