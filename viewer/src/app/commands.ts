/** Commands by name, with their keys; and why some of them cannot be run now. */

import { placeLabel, reasonAgainstPlace } from "../components/go-to-place";
import type { PickerItem } from "../components/picker";
import { treeFocus } from "../components/tree-focus";
import { type Binding, type Intent, KEY_TABLE } from "../keys/table";
import { type ColorBy, colorBy } from "../state/coloring";
import { lastPage, page } from "../state/page";
import type { Pane } from "../state/pane";
import { query } from "../state/query";
import { trackOf } from "../state/selection";
import type { Trace } from "../state/trace";
import { type TypedPlace, typedPlace } from "../state/typed-place";
import { pages } from "../tools/registry";

/** Does what a key does, shows a page, colours the timeline, or goes to a place. */
export type Command = PickerItem & {
  readonly does:
    | { readonly intent: Intent }
    | { readonly page: string | null }
    | { readonly colorBy: ColorBy }
    | { readonly place: TypedPlace; readonly trace: Trace };
};

/** Intents that need something; a text says what, null that it is there. */
const NEEDS: Readonly<Partial<Record<Intent, (pane: Pane) => string | null>>> = {
  "focus-selection": needsSelection,
  "parent-slice": needsDrawn,
  "child-slice": needsDrawn,
  "previous-of-name": needsEvent,
  "next-of-name": needsEvent,
  "flow-back": (pane) => needsFlow(pane, "in", "No flow arrives at what is selected"),
  "flow-forward": (pane) => needsFlow(pane, "out", "No flow leaves what is selected"),
  "slice-to-area": needsRange,
  "next-hit": needsQuery,
  "previous-hit": needsQuery,
  "clear-search": needsQuery,
  "pin-track": needsTrack,
  "hide-track": needsTrack,
  "move-track-up": needsTrack,
  "move-track-down": needsTrack,
  "track-figures": needsTrack,
  "first-event": needsTrack,
  "last-event": needsTrack,
  "toggle-page": () => (page.value.tool === null && lastPage.value === null ? "No page has been shown yet" : null),
};

/** Commands of the palette: the rows of the key table, then the pages. Reads signals. */
export function commands(pane: Pane, trace: Trace | null): readonly Command[] {
  const rows = KEY_TABLE.filter(({ intent }) => intent !== "show-palette").map((binding) => ({
    key: binding.intent,
    name: binding.label,
    path: [binding.group],
    note: "",
    keys: binding.keys.map(({ shown }) => shown),
    reason: reasonAgainst(pane, binding, trace),
    does: { intent: binding.intent },
  }));
  return trace === null ? rows : [...rows, goToTime(pane, trace), ...colorCommands(), ...pageCommands(trace)];
}

const COLORS: readonly (readonly [ColorBy, string, string])[] = [
  ["meaning", "Colour by kind of work", "The same colours in every run"],
  ["name", "Colour by name", "Each name has a colour of its own"],
  ["duration", "Colour by duration", "From the shortest to the longest"],
];

function colorCommands(): readonly Command[] {
  return COLORS.map(([by, name, help]) => ({
    key: `color ${by}`,
    name,
    path: [],
    help,
    note: "",
    reason: page.value.tool !== null ? "Only in the timeline" : colorBy.value === by ? "Chosen already" : null,
    does: { colorBy: by },
  }));
}

/** The command that leads to a place which is typed in full; null where the text is none. */
export function placeCommand(pane: Pane, text: string, trace: Trace): Command | null {
  const place = typedPlace(text, trace.manifest.time);
  return place === null
    ? null
    : {
        key: "place",
        name: placeLabel(pane, place, trace),
        path: [],
        note: "place",
        reason: reasonAgainstPlace(pane, place, trace),
        does: { place, trace },
      };
}

/** Opens the box in which a place is typed. */
function goToTime(pane: Pane, trace: Trace): Command {
  const search = KEY_TABLE.find(({ intent }) => intent === "search")!;
  return {
    key: "go-to-time",
    name: "Go to time, step or event",
    path: [],
    help: "Type it here or in the search: 450 ms, 12:03:04.5, step 7, #12.345",
    note: "",
    reason: reasonAgainst(pane, search, trace),
    does: { intent: "search" },
  };
}

function pageCommands(trace: Trace): readonly Command[] {
  return pages.value.map((page) => {
    const availability = page.availability(trace.manifest);
    return {
      key: `page ${page.id}`,
      name: page.title,
      path: [],
      help: page.help,
      note: "page",
      reason: availability.isAvailable ? null : availability.reason,
      does: { page: page.isBare ? null : page.id },
    };
  });
}

export function reasonAgainst(pane: Pane, binding: Binding, trace: Trace | null): string | null {
  if (!binding.isShared && trace === null) {
    return "No run is open";
  }
  if (!binding.isShared && page.value.tool !== null) {
    return "Only in the timeline";
  }
  return NEEDS[binding.intent]?.(pane) ?? null;
}

function needsSelection(pane: Pane): string | null {
  return pane.selection.value.kind === "none" ? "Nothing is selected" : null;
}

function needsEvent(pane: Pane): string | null {
  return pane.selection.value.kind === "event" ? null : "No slice is selected";
}

/** Keys walk from bins as well. */
function needsDrawn(pane: Pane): string | null {
  return pane.selection.value.kind === "bin" ? null : needsEvent(pane);
}

function needsRange(pane: Pane): string | null {
  const range = pane.selectedRange.value;
  if (range !== null && range.endTicks > range.startTicks) {
    return pane.selection.value.kind === "area" ? "A time range is selected already" : null;
  }
  return needsSelection(pane) ?? "What is selected takes no time";
}

function needsFlow(pane: Pane, direction: "in" | "out", none: string): string | null {
  const details = pane.detailsView.value;
  return details.kind === "ready" && (details.details.flows?.[direction].length ?? 0) > 0
    ? null
    : (needsEvent(pane) ?? none);
}

function needsQuery(): string | null {
  return query.value === "" ? "Search for something first" : null;
}

function needsTrack(pane: Pane): string | null {
  return trackOf(pane.selection.value) !== null || treeFocus(pane).hoveredKey.value !== null
    ? null
    : "Nothing on a track is selected";
}
