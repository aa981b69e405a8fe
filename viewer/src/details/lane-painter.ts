/** Draws the bins of a derived lane: a curve with all its heights, or the states of each column on top of each other. */

import type { View } from "@tilescope/client";
import type { Theme } from "../raster/palette";
import { measureGlyphs } from "../raster/text";
import type { DerivedLane } from "../state/lanes";
import { type CounterLane, counterColumns, type LaneBins, type SliceLane, shareColumns } from "./lane-bins";
import { laneColor, laneTextColor } from "./lane-colors";
import { laneLabels } from "./lane-labels";

const HEADROOM_PX = 6;
const LABEL_FONT_PX = 11;

/** Opacity of slices that a search does not find, beside those that it finds: as much as the veil over tracks leaves. */
const UNLIT = 0.26;

/** Time in which nothing is done stays blank. */
export const BLANK = "Idle";

/** A lane, as far as its drawing depends on it. */
export type PaintedLane = Pick<DerivedLane, "id" | "rows">;

export function paintLane(
  canvas: HTMLCanvasElement,
  bins: LaneBins | null,
  lane: PaintedLane,
  seen: View,
  heightPx: number,
  theme: Theme,
  lit: ReadonlySet<string> | null,
): void {
  const ratio = devicePixelRatio;
  const context = canvas.getContext("2d");
  canvas.width = Math.round(seen.widthPx * ratio);
  canvas.height = Math.round(heightPx * ratio);
  if (context === null || bins === null) {
    return;
  }
  if (bins.kind === "counter") {
    paintCounter(context, bins, seen, heightPx, ratio);
  } else {
    paintStates(context, bins, lane, seen, heightPx, ratio, theme, lit);
    context.globalAlpha = 1;
    if (lane.rows > 1) {
      paintLabels(context, bins, lane, seen, heightPx, ratio, theme);
    }
  }
}

function paintCounter(
  context: CanvasRenderingContext2D,
  bins: CounterLane,
  seen: View,
  heightPx: number,
  ratio: number,
): void {
  const style = getComputedStyle(context.canvas);
  const [line, area] = [style.getPropertyValue("--accent"), style.getPropertyValue("--accent-soft")];
  const [height, most] = [heightPx * ratio, (heightPx - HEADROOM_PX) * ratio];
  const { least, greatest } = counterColumns(bins, seen, ratio);
  greatest.forEach((part, x) => {
    if (Number.isNaN(part)) {
      return;
    }
    const y = Math.round(height - ratio - part * most);
    const lowest = Math.round(height - ratio - least[x]! * most);
    context.fillStyle = area;
    context.fillRect(x, y, 1, height - y);
    context.fillStyle = line;
    context.fillRect(x, y, 1, lowest - y + ratio);
  });
}

function paintStates(
  context: CanvasRenderingContext2D,
  bins: SliceLane,
  lane: PaintedLane,
  seen: View,
  heightPx: number,
  ratio: number,
  theme: Theme,
  lit: ReadonlySet<string> | null,
): void {
  const { rows } = lane;
  const colors = bins.names.map((name) => laneColor(lane, name, theme, context.canvas));
  const rowPx = ((heightPx - 2) / Math.max(1, rows)) * ratio;
  for (let row = 0; row < rows; row++) {
    const bottom = ratio + (row + 1) * rowPx;
    const tops = new Float64Array(context.canvas.width).fill(bottom);
    shareColumns(bins, row, seen, ratio).forEach((shares, name) => {
      if (bins.names[name] === BLANK) {
        return;
      }
      context.globalAlpha = lit === null || lit.has(bins.names[name]!) ? 1 : UNLIT;
      context.fillStyle = colors[name]!;
      shares.forEach((share, x) => {
        const high = share * rowPx;
        if (high > 0) {
          tops[x] = tops[x]! - high;
          context.fillRect(x, tops[x]!, 1, high);
        }
      });
    });
  }
}

function paintLabels(
  context: CanvasRenderingContext2D,
  bins: SliceLane,
  lane: PaintedLane,
  seen: View,
  heightPx: number,
  ratio: number,
  theme: Theme,
): void {
  const rowPx = (heightPx - 2) / lane.rows;
  context.scale(ratio, ratio);
  context.font = `${LABEL_FONT_PX}px ${getComputedStyle(context.canvas).fontFamily}`;
  context.textBaseline = "middle";
  const glyphs = measureGlyphs((text) => context.measureText(text).width);
  for (const { xPx, row, name, text } of laneLabels(bins, seen, glyphs)) {
    context.fillStyle = laneTextColor(lane, bins.names[name]!, theme);
    context.fillText(text, xPx, 1 + (row + 0.5) * rowPx);
  }
}
