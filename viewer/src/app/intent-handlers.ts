/** A handler for each intent; the type asks for all of them. */

import { focusSoon, walkedKey } from "../components/tree-focus";
import type { FileIntent, HeldIntent, Intent, JobIntent, LateIntent, PressIntent } from "../keys/table";
import { busyPart } from "../state/first-view";
import { highlight } from "../state/highlight";
import { isMarksOpen } from "../state/marks";
import { query } from "../state/query";
import { NOTHING, selectedRange, selection, tracksOf } from "../state/selection";
import { changeSettings, settings, toggleTheme } from "../state/settings";
import { isDrawerOpen, isFinderOpen, isHelpOpen, isPaletteOpen, isTableOpen } from "../state/shell";
import { bounds, view, wholeView } from "../state/view";
import type { Stage } from "../timeline/stage";
import type { ViewNavigator } from "../timeline/view-navigator";
import type { TrackHandlers } from "./track-handlers";

/** Part of the view's width that one arrow key pans, and the factor of one zoom step. */
const PAN_STEP = 0.15;
const ZOOM_STEP = 0.6;

export type IntentHandlers = Readonly<Record<Exclude<Intent, LateIntent | JobIntent | FileIntent>, () => void>>;

/** `togglePage`: goes from a page to the timeline, or back to it; `walk`: from hit to hit of a search, or ends it. */
export function makeIntentHandlers(
  stage: Stage,
  viewNavigator: ViewNavigator,
  tracks: TrackHandlers,
  togglePage: () => void,
  walk: (direction: "next" | "previous" | null) => void,
): IntentHandlers {
  const { motion } = stage;
  const zoom = (factor: number) => motion.zoomStep(factor, stage.pointer?.xPx ?? view.peek().widthPx / 2);
  const pan = (part: number) => motion.panStep(part * view.peek().widthPx);
  const held: Readonly<Record<HeldIntent, () => void>> = {
    "zoom-in": () => zoom(ZOOM_STEP),
    "zoom-out": () => zoom(1 / ZOOM_STEP),
    "pan-left": () => pan(-PAN_STEP),
    "pan-right": () => pan(PAN_STEP),
  };
  const pressed: Readonly<Record<Exclude<PressIntent, LateIntent | JobIntent | FileIntent>, () => void>> = {
    "step-zoom-in": held["zoom-in"],
    "step-zoom-out": held["zoom-out"],
    "fit-run": () => {
      viewNavigator.onJump();
      busyPart.value = null;
      motion.glideTo(wholeView(bounds.peek(), view.peek().widthPx));
    },
    "focus-selection": () => viewNavigator.focusSelection(),
    "enter-slice": () => enterSlice(viewNavigator),
    "enter-bin": () => {
      const key = walkedKey();
      document.querySelector<HTMLElement>(".timeline")?.focus({ preventScroll: true });
      viewNavigator.enterDrawn(key);
    },
    "previous-slice": () => viewNavigator.step("previous", -PAN_STEP),
    "next-slice": () => viewNavigator.step("next", PAN_STEP),
    "parent-slice": () => viewNavigator.step("parent", 0),
    "child-slice": () => viewNavigator.step("child", 0),
    "slice-to-area": () => sliceToArea(viewNavigator),
    clear: () => {
      const isNothing =
        highlight.peek() === null && selection.peek().kind === "none" && !isDrawerOpen.peek() && !isMarksOpen.peek();
      if (stage.extension?.clear() === true) {
        return;
      }
      if (isNothing && query.peek() !== "") {
        walk(null);
      } else {
        clearSelection();
      }
    },
    search: () => {
      const box = document.querySelector<HTMLInputElement>(".search-box input");
      box?.focus();
      box?.select();
    },
    "next-hit": () => walk("next"),
    "previous-hit": () => walk("previous"),
    "clear-search": () => walk(null),
    "filter-tracks": () => document.querySelector<HTMLElement>(".tree-filter input")?.focus(),
    "find-track": () => {
      isFinderOpen.value = true;
    },
    "pin-track": () => tracks.withSubject((key) => tracks.togglePinned(key)),
    "hide-track": () => tracks.withSubject((key) => tracks.hide(key)),
    "move-track-up": () => tracks.withSubject((key) => tracks.move(key, "up")),
    "move-track-down": () => tracks.withSubject((key) => tracks.move(key, "down")),
    "track-figures": () => tracks.withSubject((key) => tracks.lookInto(key)),
    "first-event": () => tracks.withSubject((key) => tracks.jump(key, "first")),
    "last-event": () => tracks.withSubject((key) => tracks.jump(key, "last")),
    "toggle-empty": () => tracks.toggleEmpty(),
    "toggle-drawer": () => {
      isDrawerOpen.value = isMarksOpen.peek() || !isDrawerOpen.peek();
      isMarksOpen.value = false;
    },
    "toggle-grid": () => changeSettings({ grid: !settings.peek().grid }),
    "toggle-memory": () => void tracks.toggleToolLane("memory_profile"),
    "show-palette": () => {
      isPaletteOpen.value = true;
    },
    "toggle-table": () => {
      isTableOpen.value = !isTableOpen.peek();
      if (!isTableOpen.peek()) {
        focusSoon(".timeline");
      }
    },
    "toggle-page": togglePage,
    "toggle-theme": toggleTheme,
    "show-help": () => {
      isHelpOpen.value = !isHelpOpen.peek();
    },
  };
  return { ...held, ...pressed };
}

/** From the tree into a track, from the timeline to a slice, from a slice to its details. */
function enterSlice(viewNavigator: ViewNavigator): void {
  const key = walkedKey();
  if (key === null && selection.peek().kind === "event") {
    isDrawerOpen.value = true;
    focusSoon(".drawer");
    return;
  }
  document.querySelector<HTMLElement>(".timeline")?.focus({ preventScroll: true });
  viewNavigator.enter(key);
}

function sliceToArea(viewNavigator: ViewNavigator): void {
  const chosen = selection.peek();
  const range = selectedRange.peek();
  if (chosen.kind !== "area" && range !== null && range.endTicks > range.startTicks) {
    viewNavigator.select({ kind: "area", range, tracks: new Set(tracksOf(chosen)) });
  }
}

function clearSelection(): void {
  if (highlight.peek() !== null) {
    highlight.value = null;
    return;
  }
  if (selection.peek().kind === "none") {
    isDrawerOpen.value = false;
    isMarksOpen.value = false;
  }
  selection.value = NOTHING;
}
