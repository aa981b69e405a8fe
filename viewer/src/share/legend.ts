/** Most frequent names of a picture, for its legend. Pure. */

import { boxesOf, NO_NAME } from "@tilescope/client";
import { drawsOf, isProvisional, type Picture } from "../timeline/picture";

export interface LegendEntry {
  readonly name: number;
  /** The part of what is drawn that has this name, in (0, 1]. */
  readonly share: number;
}

/** The names that take most room in a picture, the largest first. */
export function legendOf(picture: Picture, most: number): readonly LegendEntry[] {
  const px = new Map<number, number>();
  let sum = 0;
  for (const { track, place } of picture.scene.tracks) {
    if (place !== "track" || track.kind === "counter" || isProvisional(picture, track.id)) {
      continue;
    }
    for (const { name, startPx, endPx, busy } of boxesOf(drawsOf(picture, track.id), picture.view)) {
      const width = (Math.min(picture.view.widthPx, endPx) - Math.max(0, startPx)) * busy;
      if (name !== NO_NAME && width > 0) {
        px.set(name, (px.get(name) ?? 0) + width);
        sum += width;
      }
    }
  }
  const largest = [...px].sort(([a, inA], [b, inB]) => inB - inA || a - b).slice(0, most);
  return largest.map(([name, width]) => ({ name, share: width / sum }));
}
