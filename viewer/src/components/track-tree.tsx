/** The track tree: a real tree for keyboards and screen readers, of which only the visible part is in the page. */

import { formatDuration } from "@tilescope/client";
import { useRef } from "preact/hooks";
import { itemsBetween, type LayoutItem, stickyHeader } from "../state/layout";
import { selection } from "../state/selection";
import { settings } from "../state/settings";
import type { Trace } from "../state/trace";
import { areaTracks, layout, openGroups, roots, setOpenGroups } from "../state/tracks";
import { scroll } from "../state/view";
import { formatCount, formatShortCount, plural } from "./format";
import { ChevronIcon } from "./icons";
import { focusedKey, moveInTree } from "./tree-keys";

const INDENT_PX = 12;

/** Items beyond the screen that are in the page, so that scrolling shows no gap before the next frame. */
const MARGIN_PX = 200;

function titleOf(item: LayoutItem, tickPs: number): string {
  if (item.kind === "group") {
    const { group, events, trackCount } = item.node;
    return [group.name, group.detail, plural(trackCount, "track"), plural(events, "event")].filter(Boolean).join("\n");
  }
  const { track } = item.node;
  const lines = [track.name, track.detail, plural(track.events, track.kind === "counter" ? "sample" : "event")];
  if (track.busyTicks > 0n) {
    lines.push(`${formatDuration(track.busyTicks, tickPs)} in all slices together`);
  }
  if (track.values !== null) {
    lines.push(`${track.values.min} to ${track.values.max}`);
  }
  return lines.filter(Boolean).join("\n");
}

function noteOf(item: LayoutItem): string {
  if (item.kind === "group") {
    if (item.node.isEmpty) {
      return "empty";
    }
    return item.isOpen ? item.node.group.detail : plural(item.node.trackCount, "track");
  }
  return item.node.isEmpty ? "empty" : ""; // ids are in the tooltip: names tell tracks apart
}

/** A closed group stands for its tracks. */
function isInArea(item: LayoutItem): boolean {
  const inside = areaTracks.value;
  if (inside.size === 0 || (item.kind === "group" && item.isOpen)) {
    return false;
  }
  const ids = item.kind === "track" ? [item.node.track.id] : (item.node.rollup?.children ?? []);
  return ids.some((id) => inside.has(id));
}

function classOf(item: LayoutItem): string {
  const chosen = selection.value;
  const track = chosen.kind === "event" ? chosen.track : chosen.kind === "bin" ? chosen.bin.track : -1;
  const isCurrent = item.kind === "track" && item.node.track.id === track;
  const parts = ["tree-item", item.kind === "group" ? "is-group" : "is-track"];
  if (item.node.isEmpty) {
    parts.push("is-empty");
  }
  if (isCurrent) {
    parts.push("is-current");
  }
  if (isInArea(item)) {
    parts.push("is-in-area");
  }
  return parts.join(" ");
}

/** Width of an average character of the tree, and what of its width is not for text. */
const CHARACTER_PX = 6.6;
const NO_TEXT_PX = 40;

/** Short notes of a group tell it from others of its name, and are always shown. */
const SHORT_NOTE_LENGTH = 18;

/** The note, or "" where it would take the room of the name: it is in the tooltip as well. */
function fittingNote(item: LayoutItem, name: string): string {
  const note = noteOf(item);
  if (item.node.isEmpty || (item.kind === "group" && note.length <= SHORT_NOTE_LENGTH)) {
    return note;
  }
  const roomPx = settings.value.treeWidthPx - NO_TEXT_PX - INDENT_PX * item.node.depth;
  return (name.length + note.length) * CHARACTER_PX <= roomPx ? note : "";
}

/** Characters at the end of a long name that stay visible. */
const TAIL_LENGTH = 10;

function TreeName({ name }: { name: string }) {
  const cut = name.length > 2 * TAIL_LENGTH ? name.length - TAIL_LENGTH : name.length;
  return (
    <span class="tree-name">
      <span class="tree-name-head">{name.slice(0, cut)}</span>
      {cut < name.length && <span class="tree-name-tail">{name.slice(cut)}</span>}
    </span>
  );
}

function TreeLabel({ item }: { item: LayoutItem }) {
  const name = item.kind === "group" ? item.node.group.name : item.node.track.name;
  return (
    <div class="tree-label" style={{ paddingLeft: `${8 + INDENT_PX * item.node.depth}px` }}>
      {item.kind === "group" && <ChevronIcon isOpen={item.isOpen} />}
      <TreeName name={name === "" ? "[no name]" : name} />
      <span class="tree-note">{fittingNote(item, name)}</span>
    </div>
  );
}

function toggled(open: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(key)) {
    next.add(key);
  }
  return next;
}

function TreeItem({ item, tickPs }: { item: LayoutItem; tickPs: number }) {
  const isFocusable = (focusedKey.value ?? layout.value.items[0]?.key) === item.key;
  const values = item.kind === "track" ? item.node.track.values : null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys
    <div
      class={classOf(item)}
      role="treeitem"
      aria-level={item.node.depth + 1}
      aria-expanded={item.kind === "group" ? item.isOpen : undefined}
      aria-selected={isInArea(item)}
      tabIndex={isFocusable ? 0 : -1}
      data-key={item.key}
      title={titleOf(item, tickPs)}
      style={{ top: `${item.topPx}px`, height: `${item.heightPx}px` }}
      onFocus={() => {
        focusedKey.value = item.key;
      }}
      onClick={() => {
        if (item.kind === "group") {
          setOpenGroups(toggled(openGroups.value, item.key));
        }
      }}
    >
      <TreeLabel item={item} />
      {values !== null && (
        <span class="tree-range" style={{ top: "22px" }}>
          {formatShort(values.min)} … {formatShort(values.max)}
        </span>
      )}
    </div>
  );
}

function formatShort(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1000) {
    return value.toString();
  }
  return value < 0 ? `−${formatShortCount(-value)}` : formatShortCount(Number(value.toPrecision(4)));
}

/** The header of the group that the upper edge cuts, kept at the top. */
function StickyItem({ tickPs }: { tickPs: number }) {
  const sticky = stickyHeader(layout.value, scroll.value.topPx);
  if (sticky === null) {
    return null;
  }
  const { item, offsetPx } = sticky;
  return (
    <div class="tree-sticky" aria-hidden="true">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a copy of a tree item, for the mouse alone */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same */}
      <div
        class={classOf(item)}
        title={titleOf(item, tickPs)}
        style={{ top: `${offsetPx}px`, height: `${item.heightPx}px` }}
        onClick={() => setOpenGroups(toggled(openGroups.value, item.key))}
      >
        <TreeLabel item={item} />
      </div>
    </div>
  );
}

export function TrackTreeView({ trace }: { trace: Trace }) {
  const element = useRef<HTMLDivElement>(null);
  const { topPx, heightPx } = scroll.value;
  const { tickPs } = trace.manifest.time;
  const shown = itemsBetween(layout.value, topPx - MARGIN_PX, topPx + heightPx + MARGIN_PX);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const move = moveInTree(layout.value, focusedKey.value, event.key);
    if (move === null) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (move.kind === "toggle") {
      setOpenGroups(toggled(openGroups.value, move.key));
      return;
    }
    focusedKey.value = move.item.key;
    element.current?.dispatchEvent(new CustomEvent("reveal", { bubbles: true, detail: move.item }));
    requestAnimationFrame(() => {
      element.current?.querySelector<HTMLElement>(`[data-key="${move.item.key}"]`)?.focus({ preventScroll: true });
    });
  };

  return (
    <div class="tree">
      <StickyItem tickPs={tickPs} />
      <div
        ref={element}
        role="tree"
        aria-multiselectable="true"
        tabIndex={-1}
        aria-label={`Tracks of ${trace.manifest.name}: ${formatCount(trace.manifest.tracks)}`}
        data-roots={roots.value.length}
        onKeyDown={onKeyDown}
      >
        {shown.map((item) => (
          <TreeItem key={item.key} item={item} tickPs={tickPs} />
        ))}
      </div>
    </div>
  );
}
