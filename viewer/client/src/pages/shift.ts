/**
 * Shifts of clocks: tiles as they are drawn, so many ticks later than they were recorded. What was fetched stays as it is, and so do
 * its names.
 */

import { plus, type Ticks, ticks } from "../base/time";
import type { View } from "../base/view";
import type { Coverage, DrawTile } from "./coverage";
import type { TileData } from "./tile";

/** Tiles that were shifted last, by those that were fetched: a frame draws the same again. */
const shiftedTiles = new WeakMap<TileData, { readonly shiftTicks: bigint; readonly tile: TileData }>();

/** The view in times that were recorded. */
export function recordedView(view: View, shiftTicks: bigint): View {
  return { ...view, startTicks: plus(view.startTicks, -shiftTicks) };
}

/** Coverage in times that were recorded, as it is drawn. */
export function shiftedCoverage(recorded: Coverage, shiftTicks: bigint): Coverage {
  const later = (time: Ticks) => plus(time, shiftTicks);
  return {
    ...recorded,
    draws: recorded.draws.map(
      (draw): DrawTile => ({
        ...draw,
        tile: shiftedTile(draw.tile, shiftTicks),
        clipStart: later(draw.clipStart),
        clipEnd: later(draw.clipEnd),
      }),
    ),
    missing: recorded.missing.map(({ startTicks, endTicks }) => ({
      startTicks: later(startTicks),
      endTicks: later(endTicks),
    })),
  };
}

function shiftedTile(recorded: TileData, shiftTicks: bigint): TileData {
  const kept = shiftedTiles.get(recorded);
  if (kept?.shiftTicks === shiftTicks) {
    return kept.tile;
  }
  const { slices, samples } = recorded;
  const wideSlices =
    slices.wide === null ? null : { ...slices.wide, start: slices.wide.start.map((time) => ticks(time + shiftTicks)) };
  const wideSamples = samples.wide === null ? null : samples.wide.map((time) => ticks(time + shiftTicks));
  const tile: TileData = {
    ...recorded,
    originTicks: plus(recorded.originTicks, shiftTicks),
    slices: { ...slices, wide: wideSlices },
    samples: { ...samples, wide: wideSamples },
  };
  shiftedTiles.set(recorded, { shiftTicks, tile });
  return tile;
}
