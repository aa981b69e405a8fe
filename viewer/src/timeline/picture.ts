/** All that one frame shows: the scene, the view and the tiles that are there. Hit tests look at the same picture. */

import type { Coverage, DrawTile, Ticks, TileClient, Track, View } from "@tilescope/client";
import type { CounterEnds } from "../raster/counter-ends";
import type { RasterTrack } from "../raster/raster";
import type { Layout, ScrollPlace } from "../state/layout";
import { buildScene, nearbyRequests, requestsOf, type Scene, type SceneTrack } from "./scene";

export interface Picture {
  readonly scene: Scene;
  /** In CSS pixels, as pointers and labels are. */
  readonly view: View;
  /** The same in device pixels, as the raster is. */
  readonly deviceView: View;
  readonly ratio: number;
  readonly heightPx: number;
  /** End of the run. */
  readonly endTicks: Ticks;
  readonly coverages: ReadonlyMap<number, Coverage>;
  readonly shifts?: TileClient["shifts"];
}

const NO_DRAWS: readonly DrawTile[] = [];

export function deviceViewOf(view: View, ratio: number): View {
  return { ...view, widthPx: Math.max(1, Math.round(view.widthPx * ratio)), ticksPerPx: view.ticksPerPx / ratio };
}

/** Tells the client what is on the screen, and takes what it has of it. */
export function takePicture(
  client: TileClient,
  layout: Layout,
  view: View,
  scroll: ScrollPlace,
  heightPx: number,
  ratio: number,
  endTicks: Ticks,
): Picture {
  const recorded = buildScene(layout, scroll, heightPx);
  const scene = client.shifts?.scene(recorded) ?? recorded;
  const deviceView = deviceViewOf(view, ratio);
  const tracks = requestsOf(scene);
  client.show({ view: deviceView, tracks, nearby: nearbyRequests(layout, scroll.topPx, heightPx, heightPx / 2) });
  const coverages = new Map(tracks.map((request) => [request.track, client.coverage(request, deviceView)]));
  return { scene, view, deviceView, ratio, heightPx, endTicks, coverages, shifts: client.shifts };
}

export function drawsOf(picture: Picture, track: number): readonly DrawTile[] {
  return picture.coverages.get(track)?.draws ?? NO_DRAWS;
}

export function counterEnds({ endTicks }: Picture, { firstTicks, lastTicks }: Track): CounterEnds {
  return { firstTicks, lastTicks, endTicks };
}

/** The tracks of a picture as the raster draws them. */
export function rasterTracks(picture: Picture): readonly RasterTrack[] {
  return picture.scene.tracks.filter((entry) => entry.firstLane >= 0).map((entry) => rasterTrack(picture, entry));
}

/** True if a track is drawn from the overview: one band for all of its rows. */
export function isProvisional(picture: Picture, track: number): boolean {
  return picture.coverages.get(track)?.provisional === true;
}

export function rasterTrack(picture: Picture, { track, firstLane, firstRow, rows }: SceneTrack): RasterTrack {
  if (isProvisional(picture, track.id)) {
    return { kind: "slice", draws: drawsOf(picture, track.id), firstLane, firstRow: 0, rows: 1, lanes: 1 };
  }
  return { kind: track.kind, draws: drawsOf(picture, track.id), firstLane, firstRow, rows, lanes: track.lanes };
}
