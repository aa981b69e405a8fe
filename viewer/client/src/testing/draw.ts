/** Draw lists for tests of what comes after the cache: from events to tiles, all loaded. */

import type { TrackKind } from "../base/schema";
import { type Ticks, ticks } from "../base/time";
import type { View } from "../base/view";
import { coverage, type DrawTile } from "../pages/coverage";
import type { PyramidOptions } from "./pyramid";
import { Pyramid } from "./pyramid";
import type { TileInput } from "./tile-input";

export function viewOf(start: number, ticksPerPx: number, widthPx: number): View {
  const whole = Math.floor(start);
  return { startTicks: ticks(whole) as Ticks, startFraction: start - whole, ticksPerPx, widthPx };
}

/** Tiles that are drawn of track 0 when every tile is there; `isExact`: and every residual. */
export function drawsOf(
  tiles: readonly TileInput[],
  view: View,
  { rootLevel, tilesPerPage }: PyramidOptions,
  kind: TrackKind = "slice",
  isExact = false,
): readonly DrawTile[] {
  const pyramid = new Pyramid(tiles, tilesPerPage);
  const all = new Map(
    (isExact ? pyramid.exactTiles() : pyramid.tiles()).map((tile) => [`${tile.level}/${tile.index}`, tile]),
  );
  const lookup = (_track: number, level: number, index: number) => all.get(`${level}/${index}`);
  return coverage(lookup, pyramid.shape(), { track: 0, kind }, view, rootLevel).draws;
}
