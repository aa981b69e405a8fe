/** Gestures on the timeline: select events and areas, pan, zoom. */

import { pan, plus, type TickRange, type Ticks, tickAtX, xOfTick } from "@tilescope/client";
import type { Gesture } from "../keys/gestures";
import { nearestEdge } from "../raster/edges";
import type { Pointed } from "../state/hover";
import { rootOf } from "../state/pane-root";
import type { AreaSelection } from "../state/selection";
import type { PointerActions, PointerMeaning, PointerSample } from "./gesture-tracker";
import { drawsOf, type Picture } from "./picture";
import { pointedAt, selectionOf } from "./pointing";
import { type Scene, sceneTrackAt } from "./scene";
import { catchSecondPress } from "./second-press";
import type { Stage } from "./stage";
import type { ViewNavigator } from "./view-navigator";

/** Distance from an edge of the selected area within which a drag moves the edge. */
const EDGE_PX = 5;

/** Distance from the edge of a slice within which a drag snaps to it. */
const SNAP_PX = 6;

/** From one time to another, whichever comes first, within the run; null where that is nothing. */
export function rangeBetween(a: Ticks, b: Ticks, run: TickRange): TickRange | null {
  const [low, high] = a < b ? [a, b] : [b, a];
  const startTicks = low > run.startTicks ? low : run.startTicks;
  const endTicks = high < run.endTicks ? high : run.endTicks;
  return endTicks > startTicks ? { startTicks, endTicks } : null;
}

/** Tracks that a drag has touched, pinned ones and others: what lies between the two is scrolled away. */
export interface TouchedTracks {
  readonly pinned: readonly number[];
  readonly body: readonly number[];
}

/**
 * The tracks that a drag from one height to another touches; empty where there is none. The header of a closed group
 * stands for its tracks; that of an open one only where nothing else is touched, as they are below it.
 */
export function tracksBetween(scene: Scene, y0: number, y1: number): TouchedTracks {
  const [top, bottom] = y0 < y1 ? [y0, y1] : [y1, y0];
  const touched = scene.tracks.filter(({ place, isPinned, topPx, rows, rowPx }) => {
    const [fromPx, toPx] = isPinned ? [0, scene.pinnedPx] : [scene.pinnedPx, Number.POSITIVE_INFINITY];
    const isSeenIn = Math.max(topPx, fromPx) < Math.min(bottom, toPx);
    return place !== "sticky" && isSeenIn && Math.min(topPx + rows * rowPx, toPx) > Math.max(top, fromPx);
  });
  const counted = touched.filter((entry) => entry.isCounted);
  const idsOf = (isPinned: boolean): readonly number[] =>
    (counted.length > 0 ? counted : touched)
      .filter((entry) => entry.isPinned === isPinned)
      .flatMap(({ track }) => (track.kind === "rollup" ? track.children : [track.id]));
  return { pinned: idsOf(true), body: idsOf(false) };
}

/** The time at a point: of the edge of a slice that is near in the row there, else of the pixel. */
export function snappedTicks(picture: Picture, { xPx, yPx, isFree }: PointerSample): Ticks {
  const row = isFree ? null : sceneTrackAt(picture.scene, yPx);
  const edge =
    row === null || row.track.place !== "track"
      ? null
      : nearestEdge(drawsOf(picture, row.track.track.id), picture.view, row.row, xPx, SNAP_PX);
  return edge ?? tickAtX(picture.view, xPx);
}

export function connectArea(stage: Stage, viewNavigator: ViewNavigator): PointerActions {
  /** While an edge of the selected area is dragged: the place of the other edge. */
  let fixedTicks: Ticks | null = null;
  /** While an end of what is measured is dragged. */
  let isMeasuring = false;
  /** Target of the last click: the second one of two is for that, also where opened details have moved it away. */
  let clicked: Pointed | null = null;

  /** Draft of a drag that is on the screen: an area where it selects, the range alone where it zooms. */
  const draftOf = (gesture: Gesture, from: PointerSample, to: PointerSample): AreaSelection | null => {
    const { picture } = stage;
    const chosen = stage.pane.selection.peek();
    if (picture === null) {
      return null;
    }
    const isZoom = gesture === "zoom-to-range";
    const timeAt = (point: PointerSample): Ticks =>
      isZoom ? tickAtX(stage.pane.view.peek(), point.xPx) : snappedTicks(picture, point);
    const range = rangeBetween(fixedTicks ?? timeAt(from), timeAt(to), stage.pane.bounds.peek());
    if (range === null) {
      return null;
    }
    if (fixedTicks !== null && chosen.kind === "area") {
      return { ...chosen, range };
    }
    const touched = tracksBetween(picture.scene, from.yPx, to.yPx);
    const areas = [
      stage.pane.pinnedOrder.peek().between(touched.pinned),
      stage.pane.trackOrder.peek().between(touched.body),
    ];
    const tracks = new Set(isZoom ? [] : areas.flat());
    return tracks.size > 0 || isZoom ? { kind: "area", range, tracks } : null;
  };

  /** The edge of the selected area that one takes hold of at a place: the time of the other one. */
  const otherEdge = ({ xPx }: PointerSample): Ticks | null => {
    const chosen = stage.pane.selection.peek();
    if (chosen.kind !== "area") {
      return null;
    }
    const { startTicks, endTicks } = chosen.range;
    const isNear = (edge: Ticks): boolean => Math.abs(xOfTick(stage.pane.view.peek(), edge) - xPx) <= EDGE_PX;
    return isNear(endTicks) ? startTicks : isNear(startTicks) ? endTicks : null;
  };

  const onDrag = (meaning: Exclude<PointerMeaning, { kind: "click" }>): void => {
    const { gesture, from, to } = meaning;
    if (meaning.kind === "drag-start") {
      isMeasuring = gesture === "select-area" && otherEdge(from) === null && stage.extension?.isEdgeAt(from) === true;
    }
    if (isMeasuring) {
      void stage.takeLate({ ...meaning, gesture: "measure" });
      return;
    }
    if (gesture !== "select-area" && gesture !== "zoom-to-range" && gesture !== "pan") {
      void stage.takeLate(meaning);
      return;
    }
    if (gesture === "pan") {
      const before = meaning.kind === "drag-move" ? meaning.before : from;
      if (meaning.kind !== "drag-end") {
        stage.motion.jumpTo(pan(stage.pane.view.peek(), before.xPx - to.xPx, stage.pane.bounds.peek()));
      }
      return;
    }
    if (meaning.kind === "drag-start") {
      fixedTicks = gesture === "select-area" ? otherEdge(from) : null;
    }
    const area = draftOf(gesture, from, to);
    if (meaning.kind !== "drag-end") {
      stage.pane.draftArea.value = area === null ? null : { area, isZoom: gesture === "zoom-to-range" };
      return;
    }
    stage.pane.draftArea.value = null;
    fixedTicks = null;
    if (area === null) {
      return;
    }
    if (gesture === "zoom-to-range") {
      viewNavigator.zoomTo(area.range);
    } else {
      viewNavigator.select(area);
    }
  };

  const zoomToClicked = (): void => {
    if (clicked?.kind === "slice") {
      const { startTicks, durationTicks } = clicked.hit;
      viewNavigator.zoomTo({ startTicks, endTicks: plus(startTicks, durationTicks) });
    } else if (clicked?.kind === "bin") {
      viewNavigator.zoomToBin(clicked.bin);
    }
  };

  return {
    onMeaning: (meaning) => {
      if (meaning.kind !== "click") {
        onDrag(meaning);
        return;
      }
      const { picture } = stage;
      if (picture === null) {
        return;
      }
      if (meaning.gesture !== "select-event" && meaning.gesture !== "zoom-to-event") {
        void stage.takeLate(meaning);
        return;
      }
      if (meaning.gesture === "zoom-to-event") {
        zoomToClicked();
        return;
      }
      const hint = stage.hintAt(meaning.point);
      if (hint !== null) {
        clicked = null;
        viewNavigator.goToHint(hint);
        return;
      }
      clicked = pointedAt(picture, meaning.point.xPx, meaning.point.yPx);
      viewNavigator.select(selectionOf(clicked));
      const box = rootOf(stage.pane).querySelector(".timeline")!.getBoundingClientRect();
      const { xPx, yPx, timeMs } = meaning.point;
      catchSecondPress({ xPx: xPx + box.left, yPx: yPx + box.top, timeMs }, zoomToClicked);
    },
    isHintAt: (point) => stage.hintAt(point) !== null,
    isEdgeAt: (point) => otherEdge(point) !== null || stage.extension?.isEdgeAt(point) === true,
    onCancel: () => {
      stage.pane.draftArea.value = null;
      fixedTicks = null;
    },
  };
}
