/** A selection as a question names it: short enough for an address, whatever is selected. Pure. */

import { plus, type TickRange, type ToolQuestion, type Track } from "@tilescope/client";
import { MOST_RANGES_TEXT, rangesText } from "../state/ranges-text";

export type QuestionTracks =
  /** All of their kind: a question that names none. */
  | { readonly kind: "all" }
  | { readonly kind: "none" }
  | { readonly kind: "some"; readonly text: string }
  /** More separate tracks than a question can name. */
  | { readonly kind: "tooMany" };

/**
 * Tracks of some kind among the chosen ones, with those that chosen rollups sum. Where ranges of numbers are too long to be written, the
 * rollups of groups that are chosen as a whole stand for their tracks.
 */
export function questionTracks(
  tracks: ReadonlyMap<number, Track>,
  chosen: ReadonlySet<number>,
  isOf: (track: Track) => boolean,
): QuestionTracks {
  const allTracks = [...tracks.values()];
  const leaves = allTracks.filter((track) => track.kind !== "rollup" && isOf(track));
  const expanded = new Set(
    [...chosen].flatMap((id) => (tracks.get(id)?.kind === "rollup" ? childrenOf(tracks, id) : [id])),
  );
  const wanted = leaves.filter(({ id }) => expanded.has(id)).map(({ id }) => id);
  if (wanted.length === 0) {
    return { kind: "none" };
  }
  if (wanted.length === leaves.length) {
    return { kind: "all" };
  }
  const ids = new Set(wanted);
  const plain = rangesText(wanted);
  const text = plain.length <= MOST_RANGES_TEXT ? plain : rangesText(withRollups(allTracks, ids));
  return text.length <= MOST_RANGES_TEXT ? { kind: "some", text } : { kind: "tooMany" };
}

function childrenOf(tracks: ReadonlyMap<number, Track>, rollup: number): readonly number[] {
  return tracks.get(rollup)?.children ?? [];
}

/** The largest rollups all of whose tracks are wanted, and the tracks that none of them sums. */
function withRollups(allTracks: readonly Track[], wanted: ReadonlySet<number>): readonly number[] {
  const whole = allTracks
    .filter(({ kind, children }) => kind === "rollup" && children.length > 1 && children.every((id) => wanted.has(id)))
    .sort((a, b) => b.children.length - a.children.length);
  const left = new Set(wanted);
  const named: number[] = [];
  for (const { id, children } of whole) {
    if (children.every((child) => left.has(child))) {
      named.push(id);
      for (const child of children) {
        left.delete(child);
      }
    }
  }
  return [...named, ...left];
}

export function isSliced({ kind }: Track): boolean {
  return kind !== "counter";
}

export function isCounter({ kind }: Track): boolean {
  return kind === "counter";
}

/** A span of at least a tick, as a question has it. */
export function spanQuestion({ startTicks, endTicks }: TickRange): ToolQuestion {
  return { start: startTicks, end: endTicks > startTicks ? endTicks : plus(startTicks, 1n) };
}
