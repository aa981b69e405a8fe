/** What the tracks are painted from. */

import type { TimeAxis } from "../base/axis";
import type { ColorTable } from "../raster/palette";
import type { Session } from "../state/session";
import type { CanvasTheme } from "./canvas-theme";
import type { Picture } from "./picture";
import type { SceneTrack } from "./scene";

export interface TracksInput {
  readonly picture: Picture;
  readonly axis: TimeAxis;
  readonly colors: ColorTable;
  readonly theme: CanvasTheme;
  /** What stands out; null: nothing. */
  readonly emphasis: Emphasis | null;
  readonly showGrid: boolean;
  readonly nameOf: (id: number) => string | undefined;
}

/** Has some of what is drawn stand out: `emphasis.ts` makes it. */
export interface Emphasis {
  colors(colors: ColorTable, current: Session, theme: CanvasTheme): ColorTable;
  /** Over a track that has been painted. */
  paint(context: CanvasRenderingContext2D, entry: SceneTrack, input: TracksInput): void;
}
