/** Marks over columns of a chart: letters of those that are compared, and a frame around the column that stands out. */

import type uPlot from "uplot";
import { FONT_PX } from "./plot-axes";
import type { PlotOptions } from "./plot-options";

const SIDE_PX = 18;

export function drawCompared(chart: uPlot, { data, colors, compared }: PlotOptions): void {
  const { ctx, bbox } = chart;
  const sidePx = SIDE_PX * devicePixelRatio;
  ctx.save();
  ctx.font = `bold ${FONT_PX * devicePixelRatio}px ${colors.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const [place, letter] of compared) {
    const middle = chart.valToPos(data.xs[place]!, "x", true);
    const left = Math.max(bbox.left, Math.min(bbox.left + bbox.width - sidePx, middle - sidePx / 2));
    ctx.fillStyle = colors.text;
    ctx.fillRect(left, bbox.top, sidePx, sidePx);
    ctx.fillRect(middle - devicePixelRatio / 2, bbox.top, devicePixelRatio, bbox.height);
    ctx.fillStyle = colors.ground;
    ctx.fillText(letter, left + sidePx / 2, bbox.top + sidePx / 2);
  }
  ctx.restore();
}

/** A frame as wide as the place, over all of the height. */
export function drawLit(chart: uPlot, { data, colors }: PlotOptions, place: number | null): void {
  const x = place === null ? undefined : data.xs[place];
  if (x === undefined) {
    return;
  }
  const { ctx, bbox } = chart;
  const left = chart.valToPos(x - data.gap / 2, "x", true);
  const right = chart.valToPos(x + data.gap / 2, "x", true);
  ctx.save();
  ctx.strokeStyle = colors.text;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.setLineDash([]);
  ctx.strokeRect(left, bbox.top, right - left, bbox.height);
  ctx.restore();
}
