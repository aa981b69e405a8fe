/** Commands by name, with their keys; and why some of them cannot be run now. */

import { placeLabel, reasonAgainstPlace } from "../components/go-to-place";
import type { PickerItem } from "../components/picker";
import { hoveredKey } from "../components/tree-focus";
import { type Binding, type Intent, KEY_TABLE } from "../keys/table";
import { type ColorBy, colorBy } from "../state/coloring";
import { detailsView } from "../state/details";
import { lastPage, page } from "../state/page";
import { query } from "../state/query";
import { selectedRange, selection, trackOf } from "../state/selection";
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
const NEEDS: Readonly<Partial<Record<Intent, () => string | null>>> = {
  "focus-selection": needsSelection,
  "parent-slice": needsDrawn,
  "child-slice": needsDrawn,
  "previous-of-name": needsEvent,
  "next-of-name": needsEvent,
  "flow-back": () => needsFlow("in", "No flow arrives at what is selected"),
  "flow-forward": () => needsFlow("out", "No flow leaves what is selected"),
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
export function commands(trace: Trace | null): readonly Command[] {
  const rows = KEY_TABLE.filter(({ intent }) => intent !== "show-palette").map((binding) => ({
    key: binding.intent,
    name: binding.label,
    path: [binding.group],
    note: "",
    keys: binding.keys.map(({ shown }) => shown),
    reason: reasonAgainst(binding, trace),
    does: { intent: binding.intent },
  }));
  return trace === null ? rows : [...rows, goToTime(trace), ...colorCommands(), ...pageCommands(trace)];
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
    reason: page.value.tool !== null ? "Only in the timeline" : colorBy.value === by ? "This is on already" : null,
    does: { colorBy: by },
  }));
}

/** The command that leads to a place which is typed in full; null where the text is none. */
export function placeCommand(text: string, trace: Trace): Command | null {
  const place = typedPlace(text, trace.manifest.time);
  return place === null
    ? null
    : {
        key: "place",
        name: placeLabel(place, trace),
        path: [],
        note: "place",
        reason: reasonAgainstPlace(place, trace),
        does: { place, trace },
      };
}

/** Opens the box in which a place is typed. */
function goToTime(trace: Trace): Command {
  const search = KEY_TABLE.find(({ intent }) => intent === "search")!;
  return {
    key: "go-to-time",
    name: "Go to time, step or event",
    path: [],
    help: "Type it here or in the search: 450 ms, 12:03:04.5, step 7, #12.345",
    note: "",
    reason: reasonAgainst(search, trace),
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

export function reasonAgainst(binding: Binding, trace: Trace | null): string | null {
  if (!binding.isShared && trace === null) {
    return "No run is open";
  }
  if (!binding.isShared && page.value.tool !== null) {
    return "Only in the timeline";
  }
  return NEEDS[binding.intent]?.() ?? null;
}

function needsSelection(): string | null {
  return selection.value.kind === "none" ? "Nothing is selected" : null;
}

function needsEvent(): string | null {
  return selection.value.kind === "event" ? null : "No slice is selected";
}

/** Keys walk from bins as well. */
function needsDrawn(): string | null {
  return selection.value.kind === "bin" ? null : needsEvent();
}

function needsRange(): string | null {
  const range = selectedRange.value;
  if (range !== null && range.endTicks > range.startTicks) {
    return selection.value.kind === "area" ? "It is one already" : null;
  }
  return needsSelection() ?? "What is selected takes no time";
}

function needsFlow(direction: "in" | "out", none: string): string | null {
  const details = detailsView.value;
  return details.kind === "ready" && (details.details.flows?.[direction].length ?? 0) > 0
    ? null
    : (needsEvent() ?? none);
}

function needsQuery(): string | null {
  return query.value === "" ? "There is no search" : null;
}

function needsTrack(): string | null {
  return trackOf(selection.value) !== null || hoveredKey.value !== null ? null : "Nothing on a track is selected";
}
