/** What a chart is drawn of. */

import type { TimeBase } from "@tilescope/client";
import type { ChartData } from "./chart-data";
import type { PlotColors } from "./chart-style";

export interface PlotOptions {
  readonly data: ChartData;
  readonly time: TimeBase;
  readonly colors: PlotColors;
  isShown(y: number): boolean;
  /** The pointer is at a place of x and, in a heat map, at a row; null: at none. */
  onPoint(place: number | null, row: number | null, leftPx: number): void;
}
