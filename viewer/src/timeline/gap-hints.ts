/**
 * Hints for a lane that is empty in view between two of its events: a word at each edge, and the way to them. The distance is given where
 * the tiles on the screen know it. Pure.
 */

import {
  binStart,
  type Coverage,
  formatDuration,
  type TickRange,
  ticks,
  type View,
  visibleRange,
} from "@tilescope/client";
import type { EdgeHint } from "./edge-hints";
import type { Scene } from "./scene";

const KINDS: ReadonlySet<string> = new Set(["slice", "async", "instant", "rollup"]);

/** Two hints for each lane that has events before the view and behind it, and none in it. */
export function gapHints(
  scene: Scene,
  view: View,
  tickPs: number,
  coverages: ReadonlyMap<number, Coverage>,
): readonly EdgeHint[] {
  const range = visibleRange(view);
  return scene.tracks.flatMap((track): readonly EdgeHint[] => {
    const { id, kind, firstTicks, lastTicks } = track.track;
    const coverage = coverages.get(id);
    if (!track.isCounted || !KINDS.has(kind) || firstTicks === undefined || lastTicks === undefined) {
      return [];
    }
    if (firstTicks >= range.startTicks || lastTicks < range.endTicks || coverage?.complete !== true) {
      return [];
    }
    const around = nearestOf(coverage, range);
    if (around === null) {
      return [];
    }
    const { before, behind } = around;
    const [back, ahead] = [
      before === null ? "" : `${formatDuration(range.startTicks - before.atTicks, tickPs)}: `,
      behind === null ? "" : `${formatDuration(behind.atTicks - range.endTicks, tickPs)}: `,
    ];
    const hints: EdgeHint[] = [
      { track, end: "previous", ...(before ?? NOT_ON_SCREEN), text: `← ${back}event before` },
      { track, end: "next", ...(behind ?? NOT_ON_SCREEN), text: `${ahead}next event →` },
    ];
    // Of a group no single event is looked for: only what is known is offered.
    return kind === "rollup" ? hints.filter(({ atTicks }) => atTicks !== null) : hints;
  });
}

const NOT_ON_SCREEN = { atTicks: null, ordinal: null } as const;

interface Near {
  readonly atTicks: ReturnType<typeof ticks>;
  readonly ordinal: number | null;
}

/** The nearest events on both sides, as far as the tiles know them; null where there is one in view. */
function nearestOf(
  { draws }: Coverage,
  { startTicks, endTicks }: TickRange,
): { readonly before: Near | null; readonly behind: Near | null } | null {
  let before: Near | null = null;
  let behind: Near | null = null;
  const isFree = (fromTicks: bigint, toTicks: bigint, ordinal: number | null): boolean => {
    if (toTicks <= startTicks && fromTicks < startTicks) {
      if (before === null || toTicks > before.atTicks) {
        before = { atTicks: ticks(toTicks), ordinal };
      }
      return true;
    }
    if (fromTicks >= endTicks) {
      if (behind === null || fromTicks < behind.atTicks) {
        behind = { atTicks: ticks(fromTicks), ordinal };
      }
      return true;
    }
    return false;
  };
  for (const { tile } of draws) {
    const { slices, bins } = tile;
    // Offsets decide where numbers do: of the slices of a tile all but a few lie on one side of those that count.
    const [fromOffset, toOffset] = [Number(startTicks - tile.originTicks), Number(endTicks - tile.originTicks)];
    let [last, first] = [-1, -1];
    for (let k = 0; k < slices.length; k++) {
      const [start, end] = [slices.startOffset[k]!, slices.endOffset[k]!];
      if (start < toOffset && (end > fromOffset || start >= fromOffset)) {
        return null;
      }
      if (start >= toOffset) {
        first = first === -1 || start < slices.startOffset[first]! ? k : first;
      } else {
        last = last === -1 || end > slices.endOffset[last]! ? k : last;
      }
    }
    for (const k of [last, first]) {
      const tickAt = (offset: number) => tile.originTicks + BigInt(Math.round(offset));
      if (k >= 0 && !isFree(tickAt(slices.startOffset[k]!), tickAt(slices.endOffset[k]!), slices.ordinal[k]!)) {
        return null;
      }
    }
    for (let k = 0; k < bins.length; k++) {
      const start = binStart(tile, bins.bin[k]!);
      if (!isFree(start, start + BigInt(tile.binTicks), null)) {
        return null;
      }
    }
  }
  return { before, behind };
}
