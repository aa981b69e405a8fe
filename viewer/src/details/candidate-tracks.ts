/** Tracks that may be ticked for an area. Pure. */

/**
 * Tracks of the timeline from the first to the last that the area has, in their order; behind them those that the area has, or had
 * before, and that are not shown.
 */
export function candidateTracks(
  shown: readonly number[],
  chosen: ReadonlySet<number>,
  earlier: ReadonlySet<number>,
): readonly number[] {
  const isOfArea = (track: number) => chosen.has(track) || earlier.has(track);
  const first = shown.findIndex(isOfArea);
  const between = first < 0 ? [] : shown.slice(first, shown.findLastIndex(isOfArea) + 1);
  return [...new Set([...between, ...chosen, ...earlier])];
}
