/** A handler for each intent; the type asks for all of them. */

import { focusSoon, walkedKey } from "../components/tree-focus";
import type { HeldIntent, Intent, PressIntent } from "../keys/table";
import type { Pane } from "../state/pane";
import { rootOf } from "../state/pane-root";
import { query } from "../state/query";
import { NOTHING } from "../state/selection";
import { changeSettings, settings, toggleTheme } from "../state/settings";
import { isHelpOpen, isPaletteOpen } from "../state/shell";
import { wholeView } from "../state/view";
import type { Stage } from "../timeline/stage";
import type { ViewNavigator } from "../timeline/view-navigator";
import type { LateCommand } from "./late-commands";
import type { TrackHandlers } from "./track-handlers";

/** Part of the view's width that one arrow key pans, and the factor of one zoom step. */
const PAN_STEP = 0.15;
const ZOOM_STEP = 0.6;

export type IntentHandlers = Readonly<Record<Exclude<Intent, LateCommand>, () => void>>;

/** `togglePage`: goes from a page to the timeline, or back to it; `walk`: from hit to hit of a search, or ends it. */
export function makeIntentHandlers(
  stage: Stage,
  viewNavigator: ViewNavigator,
  tracks: TrackHandlers,
  togglePage: () => void,
  walk: (direction: "next" | "previous" | null) => void,
): IntentHandlers {
  const { motion } = stage;
  const zoom = (factor: number) => motion.zoomStep(factor, stage.pointer?.xPx ?? stage.pane.view.peek().widthPx / 2);
  const pan = (part: number) => motion.panStep(part * stage.pane.view.peek().widthPx);
  const held: Readonly<Record<HeldIntent, () => void>> = {
    "zoom-in": () => zoom(ZOOM_STEP),
    "zoom-out": () => zoom(1 / ZOOM_STEP),
    "pan-left": () => pan(-PAN_STEP),
    "pan-right": () => pan(PAN_STEP),
  };
  const pressed: Readonly<Record<Exclude<PressIntent, LateCommand>, () => void>> = {
    "step-zoom-in": held["zoom-in"],
    "step-zoom-out": held["zoom-out"],
    "fit-run": () => {
      viewNavigator.onJump();
      stage.pane.busyPart.value = null;
      motion.glideTo(wholeView(stage.pane.bounds.peek(), stage.pane.view.peek().widthPx));
    },
    "focus-selection": () => viewNavigator.focusSelection(),
    "enter-slice": () => enterSlice(viewNavigator),
    "enter-bin": () => {
      const key = walkedKey();
      rootOf(stage.pane).querySelector<HTMLElement>(".timeline")?.focus({ preventScroll: true });
      viewNavigator.enterDrawn(key);
    },
    "previous-slice": () => viewNavigator.step("previous", -PAN_STEP),
    "next-slice": () => viewNavigator.step("next", PAN_STEP),
    "parent-slice": () => viewNavigator.step("parent", 0),
    "child-slice": () => viewNavigator.step("child", 0),
    "slice-to-area": () => viewNavigator.walk((port, walk) => walk.sliceToArea(port)),
    clear: () => {
      const isNothing =
        stage.pane.highlight.peek() === null &&
        stage.pane.selection.peek().kind === "none" &&
        !stage.pane.isDrawerOpen.peek() &&
        !stage.pane.isMarksOpen.peek();
      if (stage.extension?.clear() === true) {
        return;
      }
      if (isNothing && query.peek() !== "") {
        walk(null);
      } else {
        clearSelection(stage.pane);
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
    "filter-tracks": () => rootOf(stage.pane).querySelector<HTMLElement>(".tree-filter input")?.focus(),
    "find-track": () => {
      stage.pane.isFinderOpen.value = true;
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
      stage.pane.isDrawerOpen.value = stage.pane.isMarksOpen.peek() || !stage.pane.isDrawerOpen.peek();
      stage.pane.isMarksOpen.value = false;
    },
    "toggle-grid": () => changeSettings({ grid: !settings.peek().grid }),
    "toggle-memory": () => void tracks.toggleToolLane("memory_profile"),
    "show-palette": () => {
      isPaletteOpen.value = true;
    },
    "toggle-table": () => {
      stage.pane.isTableOpen.value = !stage.pane.isTableOpen.peek();
      if (!stage.pane.isTableOpen.peek()) {
        focusSoon(stage.pane, ".timeline");
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
  if (key === null && viewNavigator.pane.selection.peek().kind === "event") {
    viewNavigator.pane.isDrawerOpen.value = true;
    focusSoon(viewNavigator.pane, ".drawer");
    return;
  }
  rootOf(viewNavigator.pane).querySelector<HTMLElement>(".timeline")?.focus({ preventScroll: true });
  viewNavigator.enter(key);
}

function clearSelection(pane: Pane): void {
  if (pane.highlight.peek() !== null) {
    pane.highlight.value = null;
    return;
  }
  if (pane.selection.peek().kind === "none") {
    pane.isDrawerOpen.value = false;
    pane.isMarksOpen.value = false;
  }
  pane.selection.value = NOTHING;
}
