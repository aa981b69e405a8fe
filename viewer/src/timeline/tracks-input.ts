/** Input from which the tracks are painted. */

import type { Track, View } from "@tilescope/client";
import type { TimeAxis } from "../base/axis";
import type { ColorTable } from "../raster/palette";
import type { ShortForm } from "../raster/short-name";
import type { CanvasTheme } from "./canvas-theme";
import type { Picture } from "./picture";
import type { SceneTrack } from "./scene";

export interface TracksInput {
  readonly picture: Picture;
  readonly axis: TimeAxis;
  readonly colors: ColorTable;
  readonly theme: CanvasTheme;
  readonly showGrid: boolean;
  readonly nameOf: (id: number) => string | undefined;
  readonly formOf: (id: number) => ShortForm | undefined;
  readonly over: OverTracks | null;
}

/** Painting over tracks by code that is loaded late: the hits of a search. */
export interface OverTracks {
  /** Another one when something else is to be painted. */
  readonly version: number;
  paintTrack(context: CanvasRenderingContext2D, track: SceneTrack, input: TracksInput): void;
  /** On a lane of the minimap, between two heights; in device pixels, as the view is. */
  paintLane(context: CanvasRenderingContext2D, rollup: Track, y0: number, y1: number, view: View): void;
}
