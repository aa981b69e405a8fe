/** What gestures on the timeline do: select events and areas, pan, zoom. */

import { pan, plus, type TickRange, tickAtX, xOfTick } from "@tilescope/client";
import { type AreaSelection, draftArea, selection } from "../state/selection";
import { bounds, view } from "../state/view";
import type { PointerMeaning, PointerSample } from "./gesture-tracker";
import type { Guide } from "./guide";
import type { PointerActions } from "./pointer";
import { pointedAt, selectionOf } from "./pointing";
import type { Scene } from "./scene";
import type { Stage } from "./stage";

/** How near to an edge of the selected area a drag moves the edge. */
const EDGE_PX = 5;

function rangeBetweenPx(a: number, b: number): TickRange {
  const shown = view.peek();
  const startTicks = tickAtX(shown, Math.min(a, b));
  const endTicks = tickAtX(shown, Math.max(a, b));
  return endTicks > startTicks ? { startTicks, endTicks } : { startTicks, endTicks: plus(endTicks, 1n) };
}

/** First and last track (in screen order) between two heights; null where there is none. */
export function tracksBetween(scene: Scene, y0: number, y1: number): readonly [number, number] | null {
  const [top, bottom] = y0 < y1 ? [y0, y1] : [y1, y0];
  const ids = scene.tracks
    .filter((entry) => entry.place !== "sticky" && entry.topPx < bottom && entry.topPx + entry.rows * entry.rowPx > top)
    // A rollup's own id says nothing of its place: it stands for the tracks that it sums.
    .flatMap(({ track }) => (track.kind === "rollup" ? track.children : [track.id]));
  return ids.length === 0 ? null : [Math.min(...ids), Math.max(...ids)];
}

export function connectArea(stage: Stage, guide: Guide): PointerActions {
  /** While an edge of the selected area is dragged: the place of the other edge. */
  let fixedTicks: bigint | null = null;

  const areaOf = (from: PointerSample, to: PointerSample): AreaSelection | null => {
    const { picture } = stage;
    const chosen = selection.peek();
    if (fixedTicks !== null && chosen.kind === "area") {
      return { ...chosen, range: rangeBetweenPx(xOfTick(view.peek(), fixedTicks), to.xPx) };
    }
    const ids = picture === null ? null : tracksBetween(picture.scene, from.yPx, to.yPx);
    if (ids === null) {
      return null;
    }
    return { kind: "area", range: rangeBetweenPx(from.xPx, to.xPx), firstTrack: ids[0], lastTrack: ids[1] };
  };

  const grabEdge = (from: PointerSample): void => {
    const chosen = selection.peek();
    fixedTicks = null;
    if (chosen.kind !== "area") {
      return;
    }
    const { startTicks, endTicks } = chosen.range;
    if (Math.abs(xOfTick(view.peek(), startTicks) - from.xPx) <= EDGE_PX) {
      fixedTicks = endTicks;
    } else if (Math.abs(xOfTick(view.peek(), endTicks) - from.xPx) <= EDGE_PX) {
      fixedTicks = startTicks;
    }
  };

  const onDrag = (meaning: Exclude<PointerMeaning, { kind: "click" }>): void => {
    const { gesture, from, to } = meaning;
    if (gesture === "pan") {
      const before = meaning.kind === "drag-move" ? meaning.before : from;
      if (meaning.kind !== "drag-end") {
        stage.motion.jumpTo(pan(view.peek(), before.xPx - to.xPx, bounds.peek()));
      }
      return;
    }
    if (meaning.kind === "drag-start") {
      grabEdge(gesture === "select-area" ? from : { ...from, xPx: Number.NaN });
    }
    const area = areaOf(from, to);
    if (meaning.kind !== "drag-end") {
      draftArea.value = area === null ? null : { area, isZoom: gesture === "zoom-to-range" };
      return;
    }
    draftArea.value = null;
    fixedTicks = null;
    if (gesture === "zoom-to-range") {
      guide.zoomTo(rangeBetweenPx(from.xPx, to.xPx));
    } else if (area !== null) {
      guide.select(area);
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
      const pointed = pointedAt(picture, meaning.at.xPx, meaning.at.yPx);
      if (meaning.gesture === "zoom-to-event") {
        if (pointed?.kind === "slice") {
          const { startTicks, durationTicks } = pointed.hit;
          guide.zoomTo({ startTicks, endTicks: plus(startTicks, durationTicks) });
        } else if (pointed?.kind === "bin") {
          guide.zoomToBin(pointed.bin);
        }
        return;
      }
      guide.select(selectionOf(pointed));
    },
    onCancel: () => {
      draftArea.value = null;
      fixedTicks = null;
    },
  };
}
