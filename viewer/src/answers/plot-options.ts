/** Input of a chart. */

import type { TimeBase } from "@tilescope/client";
import type { ChartData } from "./chart-data";
import type { ChartOverlay } from "./chart-overlay";
import type { PlotColors } from "./chart-style";
import type { PlaceSpan, StepBrush } from "./step-brush";

export interface PlotOptions {
  readonly data: ChartData;
  readonly time: TimeBase;
  readonly colors: PlotColors;
  /** Chooses steps of the chart by dragging; null where there is nothing to choose. */
  readonly brush: StepBrush | null;
  /** Columns that are compared, by their places, with a letter for each. */
  readonly compared: ReadonlyMap<number, string>;
  /** Null: nothing lies over it. */
  readonly overlay: ChartOverlay | null;
  isShown(y: number): boolean;
  /** The pointer is at a place of x and, in a heat map, at a row; null: at none. */
  onPoint(place: number | null, row: number | null, leftPx: number): void;
  /** The pointer has been dragged over these places; `isDone` when it was let go. */
  onBrush(places: PlaceSpan, isDone: boolean): void;
}
