/** Parts of a run that can be exported: what is selected, the time that is shown, or all of it. Pure. */

import { plus, type TickRange, type ToolQuestion, ticks } from "@tilescope/client";
import type { Selection } from "../state/selection";

export interface Scope {
  readonly kind: "selection" | "view" | "run";
  readonly title: string;
  /** Null: the whole run. */
  readonly range: TickRange | null;
  /** Null: all of them. */
  readonly tracks: ReadonlySet<number> | null;
}

/** So many bytes an event takes as JSON, about: 227 to 295 in traces of PyTorch, JAX and TensorFlow. */
const EVENT_BYTES = 250n;

/** Beyond this a file goes straight to the disk, by the browser's own download: the page does not hold it. */
export const HELD_BYTES = 256_000_000n;

/** Largest file for Perfetto's page: browsers hold no larger buffer. */
export const PERFETTO_BYTES = 1_500_000_000n;

/** Scopes with the selection first. `selectedRange` is the time of a selected event. */
export function scopesOf(
  run: TickRange,
  shown: TickRange,
  selection: Selection,
  selectedRange: TickRange | null,
): readonly Scope[] {
  const scopes: Scope[] = [];
  const add = (kind: Scope["kind"], title: string, range: TickRange | null, tracks: Scope["tracks"] = null) => {
    const part = range === null ? null : within(run, range);
    if (range === null || part !== null) {
      scopes.push({ kind, title, range: part, tracks });
    }
  };
  if (selection.kind === "area") {
    const count = selection.tracks.size;
    add("selection", `Selected area, ${count} track${count === 1 ? "" : "s"}`, selection.range, selection.tracks);
  } else if (selection.kind === "bin") {
    const { startTicks, widthTicks } = selection.bin;
    add("selection", "Time of the selected bin", { startTicks, endTicks: plus(startTicks, widthTicks) });
  } else if (selectedRange !== null) {
    add("selection", "Time of the selected event", selectedRange);
  }
  const isWhole = shown.startTicks <= run.startTicks && shown.endTicks >= run.endTicks;
  if (!isWhole) {
    add("view", "Time that is shown", shown);
  }
  add("run", "Whole run", null);
  return scopes;
}

/** The part of a range that the run has; null: none. An event without length is its tick. */
function within(run: TickRange, { startTicks, endTicks }: TickRange): TickRange | null {
  const first = startTicks > run.startTicks ? startTicks : run.startTicks;
  const last = endTicks > first ? endTicks : plus(first, ticks(1));
  return first > run.endTicks ? null : { startTicks: first, endTicks: last };
}

/** The question that asks for it. */
export function questionOf({ range, tracks }: Scope): ToolQuestion {
  return {
    ...(range === null ? {} : { start: range.startTicks, end: range.endTicks }),
    ...(tracks === null ? {} : { tracks: rangesOf(tracks) }),
  };
}

/** The question that exports it, with derived lanes by their ids. */
export function exportQuestion(scope: Scope, lanes: readonly string[]): ToolQuestion {
  return { ...questionOf(scope), ...(lanes.length === 0 ? {} : { lanes: lanes.join(",") }) };
}

/** Ids as the server reads them: `{3, 4, 5, 9}` → `"3-5,9"`. */
export function rangesOf(ids: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...ids].sort((a, b) => a - b);
  for (let k = 0; k < sorted.length; ) {
    let last = k;
    while (sorted[last + 1] === sorted[last]! + 1) {
      last += 1;
    }
    parts.push(last === k ? `${sorted[k]}` : `${sorted[k]}-${sorted[last]}`);
    k = last + 1;
  }
  return parts.join(",");
}

/** Size of a file of so many events, about; lanes come on top of it. */
export function estimatedBytes(events: bigint): bigint {
  return events * EVENT_BYTES;
}

/** The size by which a file is too large for something: nobody counts what lanes have, as a rule no more than the events. */
export function boundedBytes(events: bigint, hasLanes: boolean): bigint {
  return estimatedBytes(events) * (hasLanes ? 2n : 1n);
}
