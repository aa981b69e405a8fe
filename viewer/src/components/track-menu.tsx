/** The menu of a track or group: all that can be done with it, with the keys for it. */

import "../styles/shift-field.css";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { keysOf, type TimelineIntent } from "../keys/table";
import { chosenLane, type DerivedLane } from "../state/lanes";
import { layoutItem } from "../state/layout";
import { query, typedQuery } from "../state/query";
import { within } from "../state/query-text";
import type { Trace } from "../state/trace";
import { toggleGroup } from "../state/tracks";
import { findNode, type TreeNode, tracksOf } from "../state/tree";
import { type AppActions, useApp } from "./app-context";
import { walkMenu } from "./menu";
import { ShiftField } from "./shift-field";
import { focusItem, treeFocus } from "./tree-focus";

/** More would not be read in a menu. */
const MOST_LANE_ENTRIES = 8;

interface Entry {
  readonly text: string;
  readonly intent: TimelineIntent | null;
  readonly isPossible: boolean;
  readonly act: () => void;
}

/** Puts the words for a track before what is searched for already, and the cursor behind them. */
function beginWithin(app: AppActions, terms: string): void {
  typedQuery.value = `${terms} ${query.peek()}`;
  app.act("search");
  requestAnimationFrame(() => {
    const box = document.querySelector<HTMLInputElement>(".search-box input");
    box?.setSelectionRange(box.value.length, box.value.length);
  });
}

function useEntries(trace: Trace, key: string): readonly Entry[] {
  const app = useApp();
  const { pane } = app;
  const { tracks } = app;
  const terms = within(trace, key);
  useEffect(() => void pane.laneLoader.want(trace), [trace]);
  const node = findNode(pane.roots.value, key);
  const item = layoutItem(pane.layout.value, key);
  const siblings = tracks.siblings(key);
  const choice = pane.trackChoice.value;
  const hasEvents = node !== null && tracksOf(node).some((track) => track.events > 0n);
  const isPinned = choice.pinned.includes(key);
  const entry = (text: string, intent: TimelineIntent | null, isPossible: boolean, act: () => void): Entry => ({
    ...{ text, intent, isPossible, act },
  });
  return [
    entry(isPinned ? "Back to its place" : "Pin to the top", "pin-track", true, () => tracks.togglePinned(key)),
    entry("Hide", "hide-track", true, () => tracks.hide(key)),
    entry("Move up", "move-track-up", siblings[0] !== key, () => tracks.move(key, "up")),
    entry("Move down", "move-track-down", siblings[siblings.length - 1] !== key, () => tracks.move(key, "down")),
    entry("Tracks in their recorded order", null, choice.order.length > 0, () => tracks.resetOrder()),
    entry("Statistics", "track-figures", hasEvents, () => tracks.lookInto(key)),
    entry("Go to the first event", "first-event", hasEvents, () => tracks.jump(key, "first")),
    entry("Go to the last event", "last-event", hasEvents, () => tracks.jump(key, "last")),
    ...(terms === null ? [] : [entry("Search in it", "search", hasEvents, () => beginWithin(app, terms))]),
    ...laneGroups(pane.laneList.value, node).map(({ title, lanes }) => {
      const isDrawn = lanes.every((lane) => chosenLane(lane, choice.lanes) !== undefined);
      return entry(`${isDrawn ? "Hide" : "Draw"}: ${title}`, null, true, () => tracks.toggleLanes(lanes));
    }),
    ...(node?.kind === "group" && node.group.missing !== undefined
      ? [entry("Look for it again", null, true, () => app.retryRun(trace.manifest.run))]
      : []),
    ...(item?.kind === "group"
      ? [entry(item.isOpen ? "Close" : "Open", null, true, () => toggleGroup(pane, key))]
      : []),
  ];
}

/** Derived lanes of a node by their titles. */
function laneGroups(lanes: readonly DerivedLane[], node: TreeNode | null) {
  const ids = new Set(node === null ? [] : tracksOf(node).map(({ id }) => id));
  const groups = new Map<string, DerivedLane[]>();
  for (const lane of lanes.filter(({ track }) => ids.has(track))) {
    groups.set(lane.title, [...(groups.get(lane.title) ?? []), lane]);
  }
  return [...groups].slice(0, MOST_LANE_ENTRIES).map(([title, alike]) => ({ title, lanes: alike }));
}

/** Choices of the levels that are drawn, for lanes with several rows. */
function LaneLevels({ node, close }: { node: string; close: () => void }) {
  const { tracks, pane } = useApp();
  const groups = laneGroups(pane.laneList.value, findNode(pane.roots.value, node));
  return (
    <>
      {groups.map(({ title, lanes }) => {
        const most = Math.max(...lanes.map(({ rows }) => rows));
        const drawn = lanes.map((lane) => chosenLane(lane, pane.trackChoice.value.lanes)?.rows ?? 0);
        const level = Math.max(...drawn);
        return most < 2 ? null : (
          // biome-ignore lint/a11y/useSemanticElements: a group of radios within a menu is no fieldset
          <div key={title} class="menu-levels" role="group" aria-label={`Levels of ${title}`}>
            <span class="menu-name">{title}: levels</span>
            {Array.from({ length: most }, (_, k) => k + 1).map((rows) => (
              <button
                key={rows}
                type="button"
                class="menu-level"
                role="menuitemradio"
                aria-checked={rows === level}
                onClick={() => {
                  close();
                  tracks.drawRows(lanes, rows);
                }}
              >
                {rows === most ? `all ${most}` : rows}
              </button>
            ))}
          </div>
        );
      })}
    </>
  );
}

function nameOf(trace: Trace, key: string): string {
  const id = Number(key.slice(1));
  return (key.startsWith("g") ? trace.groups.get(id)?.name : trace.tracks.get(id)?.name) ?? "";
}

function isHostOfSeveral({ groups }: Trace, key: string): boolean {
  const hosts = [...groups.values()].filter(({ kind }) => kind === "host");
  return hosts.length > 1 && hosts.some(({ id }) => key === `g${id}`);
}

export function TrackMenu({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const open = treeFocus(pane).openTrackMenu.value;
  return open === null ? null : <OpenMenu key={open.key} trace={trace} node={open.key} xPx={open.xPx} yPx={open.yPx} />;
}

function OpenMenu({ trace, node, xPx, yPx }: { trace: Trace; node: string; xPx: number; yPx: number }) {
  const { pane } = useApp();
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ widthPx: 0, heightPx: 0 });
  const entries = useEntries(trace, node);

  // Entries of lanes may come later.
  useLayoutEffect(() => {
    const box = element.current!.getBoundingClientRect();
    setSize({ widthPx: box.width, heightPx: box.height });
  }, [entries.length]);
  useLayoutEffect(() => element.current!.querySelector<HTMLElement>("[role=menuitem]")?.focus(), []);

  useEffect(() => {
    const onPress = (event: PointerEvent) => {
      if (!element.current?.contains(event.target as Node)) {
        treeFocus(pane).openTrackMenu.value = null;
      }
    };
    const onAway = () => {
      treeFocus(pane).openTrackMenu.value = null;
    };
    document.addEventListener("pointerdown", onPress);
    addEventListener("resize", onAway);
    return () => {
      document.removeEventListener("pointerdown", onPress);
      removeEventListener("resize", onAway);
    };
  }, []);

  const close = () => {
    treeFocus(pane).openTrackMenu.value = null;
    focusItem(pane, node);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a menu with a field beside it is no fieldset
    <div
      ref={element}
      class="menu track-menu"
      role="group"
      style={{
        left: `${Math.max(4, Math.min(xPx, innerWidth - size.widthPx - 4))}px`,
        top: `${Math.max(4, Math.min(yPx, innerHeight - size.heightPx - 4))}px`,
      }}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape" || event.key === "Tab") {
          event.preventDefault();
          close();
        } else {
          walkMenu(element.current!, event);
        }
      }}
    >
      <div class="track-menu-entries" role="menu" tabIndex={-1} aria-label={nameOf(trace, node)}>
        {entries.map(({ text, intent, isPossible, act }) => (
          <button
            key={text}
            type="button"
            class="menu-item"
            role="menuitem"
            aria-disabled={!isPossible}
            onClick={() => {
              if (isPossible && intent === "search") {
                // It leads elsewhere, and so does the focus.
                treeFocus(pane).openTrackMenu.value = null;
                act();
              } else if (isPossible) {
                close();
                act();
              }
            }}
          >
            <span />
            <span class="menu-name">{text}</span>
            {intent !== null && <kbd>{keysOf(intent)}</kbd>}
          </button>
        ))}
        <LaneLevels node={node} close={close} />
      </div>
      {isHostOfSeveral(trace, node) && <ShiftField trace={trace} group={Number(node.slice(1))} close={close} />}
    </div>
  );
}
