/** Target at a point of the timeline. Pure, on the picture of the last frame. */

import { type TileData, ticks } from "@tilescope/client";
import { type BinHit, binHit, hitCounter, hitTest } from "../raster/hit";
import type { Pointed } from "../state/hover";
import type { BinFacts, Selection } from "../state/selection";
import type { Target } from "./outline";
import { counterEnds, drawsOf, isProvisional, type Picture } from "./picture";
import { sceneTrackAt } from "./scene";

/** Target at a point of the timeline (CSS pixels), or null. */
export function pointedAt(picture: Picture, xPx: number, yPx: number): Pointed | null {
  const row = sceneTrackAt(picture.scene, yPx);
  if (row === null) {
    return null;
  }
  const { track } = row.track;
  const draws = drawsOf(picture, track.id);
  if (isProvisional(picture, track.id)) {
    const hit = hitTest(draws, picture.view, xPx, 0, 0);
    if (hit?.kind !== "bin") {
      return null;
    }
    const widthTicks = ticks(hit.endTicks - hit.startTicks);
    const bin = { track: track.id, startTicks: hit.startTicks, widthTicks, part: hit.density };
    return { kind: "provisional", bin };
  }
  if (track.kind === "counter") {
    const hit = hitCounter(draws, picture.view, xPx, counterEnds(picture, track));
    return hit === null ? null : { kind: "counter", hit };
  }
  const hit = hitTest(draws, picture.view, xPx, row.row);
  if (hit === null) {
    return null;
  }
  if (hit.kind === "slice") {
    return { kind: "slice", hit, isInstant: track.kind === "instant" };
  }
  return { kind: "bin", bin: binFacts(hit), lanes: track.lanes };
}

export function binFacts(hit: BinHit): BinFacts {
  const { track, level, index, row, place, startTicks, endTicks, count, nameId, share, exact } = hit;
  const widthTicks = ticks(endTicks - startTicks);
  return { track, level, index, row, place, startTicks, widthTicks, count, name: nameId, share, exact };
}

/** The bin of a row at a place in a tile; null where there is none. */
export function binOf(tile: TileData, row: number, place: number): BinFacts | null {
  const k = tile.bins.bin.findIndex((bin, index) => bin === place && tile.bins.row[index] === row);
  return k < 0 ? null : binFacts(binHit(tile, k));
}

/** Selection by a click on it; a value that is in force without a sample of its own selects nothing. */
export function selectionOf(pointed: Pointed | null): Selection {
  if (pointed === null || pointed.kind === "provisional") {
    return { kind: "none" };
  }
  if (pointed.kind === "bin") {
    return { kind: "bin", bin: pointed.bin };
  }
  const { hit } = pointed;
  if (hit.kind === "counterBin" || hit.ordinal === null) {
    return { kind: "none" };
  }
  return { kind: "event", track: hit.track, ordinal: hit.ordinal };
}

/** Target that is outlined while the pointer is over it. */
export function targetOf(pointed: Pointed | null): Target | null {
  if (pointed === null) {
    return null;
  }
  if (pointed.kind === "bin") {
    return { kind: "bin", bin: pointed.bin };
  }
  if (pointed.kind === "slice") {
    return { kind: "event", track: pointed.hit.track, ordinal: pointed.hit.ordinal };
  }
  return null;
}
