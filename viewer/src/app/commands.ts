/** Commands by name, with their keys; and why some of them cannot be run now. */

import type { PickerItem } from "../components/picker";
import { hoveredKey } from "../components/tree-focus";
import { type Binding, type Intent, KEY_TABLE } from "../keys/table";
import { detailsView } from "../state/details";
import { lastPage, page } from "../state/page";
import { query } from "../state/query";
import { selectedRange, selection, trackOf } from "../state/selection";
import type { Trace } from "../state/trace";
import { pages } from "../tools/registry";

/** Does what a key does, or shows a page. */
export type Command = PickerItem & { readonly does: { readonly intent: Intent } | { readonly page: string | null } };

/** Intents that need something; a text says what, null that it is there. */
const NEEDS: Readonly<Partial<Record<Intent, () => string | null>>> = {
  "focus-selection": needsSelection,
  "parent-slice": needsDrawn,
  "child-slice": needsDrawn,
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
  return trace === null ? rows : [...rows, ...pageCommands(trace)];
}

function pageCommands(trace: Trace): readonly Command[] {
  return pages.value.map((page) => {
    const availability = page.availability(trace.manifest);
    return {
      key: `page ${page.id}`,
      name: page.title,
      path: [page.help],
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
  return query.value === "" ? "Nothing is searched for" : null;
}

function needsTrack(): string | null {
  return trackOf(selection.value) !== null || hoveredKey.value !== null ? null : "Nothing on a track is selected";
}
