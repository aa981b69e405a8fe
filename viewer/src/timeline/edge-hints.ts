/** Hints for a lane that is empty in view: a word at the edge beyond which its events lie, and the way to them. Pure. */

import { formatDuration, type Ticks, type View, visibleRange } from "@tilescope/client";
import type { Scene, SceneTrack } from "./scene";

export interface EdgeHint {
  readonly track: SceneTrack;
  /** The event that is nearest to the view. */
  readonly end: "first" | "last" | "previous" | "next";
  /** Time and ordinal of the event, where they are known. */
  readonly atTicks: Ticks | null;
  readonly ordinal: number | null;
  readonly text: string;
}

/** A hint for each lane all of whose events lie before the view, or all behind it; headers of open groups have none. */
export function edgeHints(scene: Scene, view: View, tickPs: number): readonly EdgeHint[] {
  const { startTicks, endTicks } = visibleRange(view);
  return scene.tracks.flatMap((track): readonly EdgeHint[] => {
    const { firstTicks, lastTicks } = track.track;
    if (!track.isCounted || firstTicks === undefined || lastTicks === undefined) {
      return [];
    }
    if (firstTicks >= endTicks) {
      const text = `${formatDuration(firstTicks - endTicks, tickPs)}: first event →`;
      return [{ track, end: "first", atTicks: firstTicks, ordinal: null, text }];
    }
    // An event without duration at the first pixel is seen; the last value of a counter stays in force.
    if (lastTicks < startTicks && track.track.kind !== "counter") {
      const text = `← ${formatDuration(startTicks - lastTicks, tickPs)}: last event`;
      return [{ track, end: "last", atTicks: lastTicks, ordinal: null, text }];
    }
    return [];
  });
}

export const HINT_PX = 11;
const HINT_WIDTH_PX = 150;
const INSET_PX = 6;

/** Start or end of a hint, its side, and the middle of its row. */
export function hintPlace({ track, end }: EdgeHint, widthPx: number) {
  const isRight = isBehind(end);
  const xPx = isRight ? widthPx - INSET_PX : INSET_PX;
  return { xPx, yPx: track.topPx + Math.min(track.rowPx, 18) / 2, align: isRight ? "right" : "left" } as const;
}

/** The hint of a lane where a point lies on it, else null. */
export function hintAt(
  hints: readonly EdgeHint[],
  track: SceneTrack | null,
  widthPx: number,
  xPx: number,
): EdgeHint | null {
  const isOn = ({ end }: EdgeHint) => (isBehind(end) ? xPx > widthPx - HINT_WIDTH_PX : xPx < HINT_WIDTH_PX);
  return hints.find((hint) => hint.track === track && isOn(hint)) ?? null;
}

function isBehind(end: EdgeHint["end"]): boolean {
  return end === "first" || end === "next";
}
