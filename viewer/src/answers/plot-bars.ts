/** Drawing of bars, stacked columns and cells of heat maps. */

import type uPlot from "uplot";
import type { ChartData } from "./chart-data";
import { heatColor, type SeriesStyle, TEXTURE_PATHS } from "./chart-style";
import type { PlotOptions } from "./plot-options";

const MOST_BAR_PX = 48;
const MOST_COLUMN_PX = 120;

/** Bars of several series stand side by side; parts of a whole on one another, the whole behind them. */
export function barPaths(
  chart: uPlot,
  { data, isShown }: PlotOptions,
  y: number,
  from: number,
  to: number,
): uPlot.Series.Paths {
  const shown = data.ys.map((_, k) => k).filter(isShown);
  const gapPx = Math.abs(chart.valToPos(data.gap, "x", true) - chart.valToPos(0, "x", true));
  const beside = data.isColumns ? 1 : Math.max(1, shown.length);
  const mostPx = (data.isColumns ? MOST_COLUMN_PX : MOST_BAR_PX) * devicePixelRatio;
  const groupPx = Math.max(1, Math.min(gapPx * 0.8, mostPx * beside));
  const barPx = groupPx / beside;
  const scale = chart.series[y + 1]!.scale!;
  const zero = chart.valToPos(0, scale, true);
  const path = new Path2D();
  const values = chart.data[y + 1]!;
  for (let place = from; place <= to; place++) {
    const value = values[place] ?? null;
    if (value !== null) {
      const left =
        chart.valToPos(data.xs[place]!, "x", true) - groupPx / 2 + (data.isColumns ? 0 : shown.indexOf(y)) * barPx;
      const top = chart.valToPos(value, scale, true);
      // What is there is seen, however little it is.
      path.rect(left, Math.min(top, zero), Math.max(1, barPx - 1), Math.max(1, Math.abs(zero - top)));
    }
  }
  return { stroke: barPx >= 4 ? path : null, fill: path };
}

export function textured(chart: uPlot, { fill, ink, texture }: SeriesStyle): CanvasPattern | string {
  if (texture === "plain") {
    return fill;
  }
  const tile = document.createElement("canvas");
  const ratio = devicePixelRatio;
  tile.width = tile.height = Math.round(8 * ratio);
  const context = tile.getContext("2d")!;
  context.fillStyle = fill;
  context.fillRect(0, 0, tile.width, tile.height);
  context.scale(tile.width / 8, tile.height / 8);
  context.strokeStyle = ink;
  context.lineWidth = 1;
  context.stroke(new Path2D(TEXTURE_PATHS[texture]));
  return chart.ctx.createPattern(tile, "repeat") ?? fill;
}

export function drawHeat(chart: uPlot, { data, colors, isShown }: PlotOptions): void {
  const { ctx } = chart;
  const { min, max } = visibleHeat(data);
  const widthPx = Math.abs(chart.valToPos(data.gap, "x", true) - chart.valToPos(0, "x", true));
  ctx.save();
  data.ys.forEach((column, y) => {
    const top = Math.round(chart.valToPos(y, "y0", true));
    const height = Math.max(1, Math.round(chart.valToPos(y + 1, "y0", true)) - top - (data.ys.length > 40 ? 0 : 1));
    data.rows.forEach((row, place) => {
      const value = column.approximate[row]!;
      if (Number.isNaN(value) || !isShown(y)) {
        return;
      }
      const left = Math.round(chart.valToPos(data.xs[place]!, "x", true) - widthPx / 2);
      ctx.fillStyle = heatColor(heatShare(value, min, max), colors.theme);
      ctx.fillRect(left, top, Math.max(1, Math.ceil(widthPx) - (widthPx > 6 ? 1 : 0)), height);
    });
  });
  ctx.restore();
}

/** Place of a value between the least and the greatest, 0 to 1. Values that are all alike are dark, unless they are 0. */
export function heatShare(value: number, min: number, max: number): number {
  if (max === min) {
    return max === 0 ? 0 : 1;
  }
  return (value - min) / (max - min);
}

function visibleHeat(data: ChartData): { readonly min: number; readonly max: number } {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const column of data.ys) {
    for (const value of column.approximate) {
      min = value < min ? value : min;
      max = value > max ? value : max;
    }
  }
  return { min: Math.min(min, min > 0 && min < 0.75 * max ? 0 : min), max };
}
