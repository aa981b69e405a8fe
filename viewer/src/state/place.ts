/**
 * The part of the track tree that is on the screen, as an address has it: `top=g3:12` is the node at the upper edge and the pixels of
 * it above that, `open` and `closed` are groups that are otherwise than in a page that has just been opened.
 */

import { layoutItem } from "./layout";
import { eventsOf, type Parts } from "./location";
import type { Pane } from "./pane";
import { addUnread } from "./parts";
import type { Selection } from "./selection";
import type { Trace } from "./trace";
import { parseKeys, trackKey } from "./track-keys";
import { defaultExpansion, groupsAround } from "./tree";

const TOP = /^(g?\d{1,15})(?::(\d{1,7}))?$/;

/** Groups that are open in a page that has just been opened, with something selected. */
export function openAtFirst(trace: Trace, chosen: Selection): ReadonlySet<string> {
  const around = eventsOf(chosen).flatMap(({ track }) => groupsAround(trace, trackKey(track)));
  return new Set([...defaultExpansion(trace.roots), ...around]);
}

/** Opens and closes groups as an address has it. */
export function takeFolds(pane: Pane, trace: Trace, { open, closed }: Parts): void {
  const keysOf = (name: string, text = ""): readonly string[] => {
    const { keys, unknown } = parseKeys(text, trace);
    if (text !== "" && (keys.length === 0 || unknown > 0) && trace.manifest.state === "ready") {
      addUnread(`${name}=${text} (not all in this run)`);
    }
    return keys;
  };
  const opened = [...openAtFirst(trace, pane.selection.peek()), ...keysOf("open", open)];
  const shut = new Set(keysOf("closed", closed));
  pane.openGroups.value = new Set(opened.filter((key) => pane.isFiltered.peek() || !shut.has(key)));
  pane.closedInFilter.value = pane.isFiltered.peek() ? shut : new Set();
}

/** Height of the layout at the upper edge, of a text of an address; null where it has none that means something. */
export function topOf(pane: Pane, text: string): number | null {
  const [, name, offset] = TOP.exec(text) ?? [];
  const key = name?.startsWith("g") ? name : `t${name}`;
  const item = layoutItem(pane.layout.peek(), key);
  return item === null || item.isPinned
    ? null
    : item.topPx - pane.layout.peek().pinnedPx + Math.min(Number(offset ?? 0), item.heightPx);
}
