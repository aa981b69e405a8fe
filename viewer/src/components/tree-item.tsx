/** One line of the track tree: a group's header or a track, with its name and a note. */

import { formatDuration } from "@tilescope/client";
import { laneHeightPx } from "../state/lanes";
import type { LayoutItem, TrackItem } from "../state/layout";
import type { Pane } from "../state/pane";
import { trackOf } from "../state/selection";
import { settings } from "../state/settings";
import { type Trace, trackPath } from "../state/trace";
import { toggleGroup } from "../state/tracks";
import { useApp } from "./app-context";
import { formatCount, formatShortCount, plural } from "./format";
import { ChevronIcon, PinIcon } from "./icons";
import { treeFocus } from "./tree-focus";

const INDENT_PX = 12;

/** All that is known of it, for the tooltip. */
function titleOf(item: LayoutItem, trace: Trace): string {
  if (item.kind === "group") {
    const { group, events, trackCount, shownCount } = item.node;
    const shown = shownCount < trackCount ? `${formatCount(shownCount)} of them shown` : "";
    return [group.name, group.missing ?? group.detail, plural(trackCount, "track"), shown, plural(events, "event")]
      .filter(Boolean)
      .join("\n");
  }
  const { track } = item.node;
  const lines = [track.name, track.detail, plural(track.events, track.kind === "counter" ? "sample" : "event")];
  if (item.isPinned) {
    lines.splice(1, 0, trackPath(trace, track.id).slice(0, -1).join(" › "));
  }
  if (track.busyTicks > 0n) {
    lines.push(`${formatDuration(track.busyTicks, trace.manifest.time.tickPs)} in all slices together`);
  }
  if (track.values !== null) {
    lines.push(`${track.values.min} to ${track.values.max}`);
  }
  return lines.filter(Boolean).join("\n");
}

/** The group that a pinned track is of: it tells it from others of its name. */
function homeOf(item: LayoutItem, trace: Trace): string {
  if (!item.isPinned || item.parentIndex >= 0) {
    return "";
  }
  const { node } = item;
  // A single host is no level of the tree.
  const host = trace.manifest.hosts.length > 1 ? (node.kind === "group" ? node.group.parent : null) : null;
  const group = node.kind === "track" ? node.track.group : host;
  return (group === null ? undefined : trace.groups.get(group)?.name) ?? "";
}

function noteOf(item: LayoutItem): string {
  if (item.node.isEmpty) {
    return "empty";
  }
  if (item.kind === "track") {
    return ""; // ids are in the tooltip: names tell tracks apart
  }
  const { shownCount, trackCount, group } = item.node;
  const count = shownCount < trackCount ? `${formatCount(shownCount)} of ${plural(trackCount, "track")}` : "";
  if (group.missing) {
    return "missing";
  }
  return item.isOpen ? group.detail : count || plural(trackCount, "track");
}

/** A closed group stands for its tracks. */
function isInArea(pane: Pane, item: LayoutItem): boolean {
  const inside = pane.areaTracks.value;
  if (inside.size === 0 || (item.kind === "group" && item.isOpen)) {
    return false;
  }
  const ids = item.kind === "track" ? [item.node.track.id] : (item.node.rollup?.children ?? []);
  return ids.some((id) => inside.has(id));
}

export function classOf(pane: Pane, item: LayoutItem): string {
  const track = trackOf(pane.selection.value);
  const flags = {
    "is-group": item.kind === "group",
    "is-track": item.kind === "track",
    "is-empty": item.node.isEmpty || (item.kind === "group" && item.node.trackCount === 0),
    "is-current": item.kind === "track" && item.node.track.id === track,
    "is-in-area": isInArea(pane, item),
    "is-dragged": treeFocus(pane).drop.value?.key === item.key,
  };
  const named = Object.entries(flags).filter(([, is]) => is);
  return ["tree-item", ...named.map(([name]) => name)].join(" ");
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

export function TreeLabel({ item, trace }: { item: LayoutItem; trace: Trace }) {
  const name = item.kind === "group" ? item.node.group.name : item.node.track.name;
  const home = homeOf(item, trace);
  const isPin = item.isPinned && item.parentIndex < 0;
  return (
    <div class="tree-label" style={{ paddingLeft: `${8 + INDENT_PX * item.node.depth}px` }}>
      {isPin && <PinIcon />}
      {item.kind === "group" && <ChevronIcon isOpen={item.isOpen} />}
      <TreeName name={name === "" ? "[no name]" : name} />
      {home === "" ? (
        <span class="tree-note">{fittingNote(item, name)}</span>
      ) : (
        <span class="tree-note is-home">
          <bdi>{home}</bdi>
        </span>
      )}
    </div>
  );
}

export function TreeItem({ item, trace }: { item: LayoutItem; trace: Trace }) {
  const { pane } = useApp();
  const isFocusable = treeFocus(pane).tabStop.value === item.key;
  const values = item.kind === "track" ? item.node.track.values : null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys
    <div
      class={classOf(pane, item)}
      role="treeitem"
      aria-level={item.node.depth + 1}
      aria-expanded={item.kind === "group" ? item.isOpen : undefined}
      aria-selected={isInArea(pane, item)}
      tabIndex={isFocusable ? 0 : -1}
      data-key={item.key}
      title={titleOf(item, trace)}
      style={{ top: `${item.topPx}px`, height: `${item.heightPx}px` }}
      onFocus={() => {
        treeFocus(pane).focusedKey.value = item.key;
      }}
      onClick={() => {
        if (item.kind === "group") {
          toggleGroup(pane, item.key);
        }
      }}
    >
      <TreeLabel item={item} trace={trace} />
      {item.kind === "track" && <LaneNames item={item} />}
      {values !== null && (
        <span class="tree-range" style={{ top: "22px" }}>
          {formatShort(values.min)} … {formatShort(values.max)}
        </span>
      )}
    </div>
  );
}

/** Names of the derived lanes of a track, beside them. */
function LaneNames({ item: { node, rowsPx } }: { item: TrackItem }) {
  const { pane } = useApp();
  let topPx = rowsPx;
  return (
    <>
      {(pane.drawnLanes.value.get(node.track.id) ?? []).map((lane) => {
        const placePx = topPx;
        topPx += laneHeightPx(lane);
        return (
          <span
            key={lane.id}
            class="tree-lane"
            style={{ top: `${placePx + 3}px` }}
            title={`${lane.title}: derived from events, which are counted where they are`}
          >
            {lane.title}
          </span>
        );
      })}
    </>
  );
}

function formatShort(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1000) {
    return value.toString();
  }
  return value < 0 ? `−${formatShortCount(-value)}` : formatShortCount(Number(value.toPrecision(4)));
}
