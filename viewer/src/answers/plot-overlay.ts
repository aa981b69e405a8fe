/** Drawing of what a page lays over a chart. */

import type uPlot from "uplot";
import { spanBox } from "./chart-overlay";
import { FONT_PX } from "./plot-axes";
import type { PlotOptions } from "./plot-options";

/** However little it is, it is seen. */
const THINNEST_PX = 4;

/** Drawn before the series, which stay in sight above it. */
export function drawSpan(chart: uPlot, { overlay }: PlotOptions): void {
  const span = overlay?.span.peek() ?? null;
  if (span === null) {
    return;
  }
  const { ctx, bbox } = chart;
  const { min, max } = chart.scales.y0!;
  // On the axis' own scale where that begins at zero; or else as a share of what the chart shows at most.
  const thickness = (bbox.height * span.size) / Math.max(1, max ?? 1);
  const bounds = { left: bbox.left, right: bbox.left + bbox.width, top: bbox.top, bottom: bbox.top + bbox.height };
  if (min === undefined || min === null) {
    return;
  }
  const toPixels = (x: number) => chart.valToPos(x, "x", true);
  const { left, top, width, height } = spanBox(span, thickness, bounds, toPixels, THINNEST_PX * devicePixelRatio);
  ctx.save();
  ctx.fillStyle = span.fill;
  ctx.strokeStyle = span.line;
  ctx.lineWidth = devicePixelRatio;
  ctx.fillRect(left, top, width, height);
  ctx.strokeRect(left, top, width, height);
  ctx.restore();
}

export function drawRules(chart: uPlot, { overlay, colors }: PlotOptions): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colors.text;
  ctx.lineWidth = 1.5 * ratio;
  ctx.font = `${FONT_PX * ratio}px ${colors.font}`;
  ctx.textBaseline = "bottom";
  for (const { x, title } of overlay?.rules ?? []) {
    const left = chart.valToPos(x, "x", true);
    ctx.setLineDash([6 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    const fits = left + ctx.measureText(title).width + 8 * ratio < bbox.left + bbox.width;
    ctx.textAlign = fits ? "left" : "right";
    ctx.lineWidth = 3 * ratio;
    ctx.setLineDash([]);
    ctx.strokeStyle = colors.ground;
    const corner = [left + (fits ? 4 : -4) * ratio, bbox.top + bbox.height - 4 * ratio] as const;
    ctx.strokeText(title, ...corner);
    ctx.fillText(title, ...corner);
    ctx.lineWidth = 1.5 * ratio;
    ctx.strokeStyle = colors.text;
  }
  ctx.restore();
}
