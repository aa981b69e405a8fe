/**
 * One timeline: all that is open, shown and selected in it. A page has one, or two beside each other; what is chosen for the page as a
 * whole (settings, tool in the hand, colours, query, format of times) is in signals of modules.
 */

import { detailsState } from "./details";
import { drawState } from "./draw-status";
import { firstViewState } from "./first-view";
import { growthState } from "./growth";
import { highlightState } from "./highlight";
import { hoverState } from "./hover";
import { laneState } from "./lanes";
import { markState } from "./marks";
import { openParts } from "./open-parts";
import { partState } from "./parts";
import { problemState } from "./problems";
import { runState } from "./run";
import { selectionState } from "./selection";
import { sessionState } from "./session";
import { shiftState } from "./shift-state";
import { timeState } from "./time-format";
import { trackState } from "./tracks";
import { viewState } from "./view";

export function makePane() {
  const base = {
    ...runState(),
    ...growthState(),
    ...sessionState(),
    ...viewState(),
    ...laneState(),
    ...selectionState(),
    ...detailsState(),
    ...hoverState(),
    ...highlightState(),
    ...openParts(),
    ...markState(),
    ...firstViewState(),
    ...drawState(),
    ...problemState(),
    ...partState(),
    ...shiftState(),
  };
  return { ...base, ...timeState(base), ...trackState(base) };
}

export type Pane = ReturnType<typeof makePane>;
