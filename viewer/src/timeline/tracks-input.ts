/** What the tracks are painted from. */

import type { TimeAxis } from "../base/axis";
import type { ColorTable } from "../raster/palette";
import type { CanvasTheme } from "./canvas-theme";
import type { Picture } from "./picture";

export interface TracksInput {
  readonly picture: Picture;
  readonly axis: TimeAxis;
  readonly colors: ColorTable;
  readonly theme: CanvasTheme;
  readonly showGrid: boolean;
  readonly nameOf: (id: number) => string | undefined;
}
