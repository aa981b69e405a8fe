/** Drawing of what a page lays over a chart. */

import type uPlot from "uplot";
import { spanBox } from "./chart-overlay";
import { FONT_PX } from "./plot-axes";
import { type LabelRoom, placesBeside } from "./plot-labels";
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

/** Rules, each with its name beside it where it lies on no curve and no other name. */
export function drawRules(chart: uPlot, { overlay, colors }: PlotOptions, room: LabelRoom): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const plot = { left: bbox.left, top: bbox.top, right: bbox.left + bbox.width, bottom: bbox.top + bbox.height };
  ctx.save();
  ctx.fillStyle = colors.text;
  ctx.font = `${FONT_PX * ratio}px ${colors.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const rules = (overlay?.rules ?? [])
    .map(({ x, title }) => ({ x: chart.valToPos(x, "x", true), title }))
    .filter(({ x }) => x >= plot.left && x <= plot.right); // others are out of the range that is zoomed to
  // A name lies on no other rule either.
  const half = ratio;
  room.take(rules.map(({ x }) => ({ left: x - half, right: x + half, top: plot.top, bottom: plot.bottom })));
  for (const { x, title } of rules) {
    ctx.strokeStyle = colors.text;
    ctx.lineWidth = 1.5 * ratio;
    ctx.setLineDash([6 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, plot.top);
    ctx.lineTo(x, plot.bottom);
    ctx.stroke();
    if (title !== "") {
      const size = { width: ctx.measureText(title).width, height: (FONT_PX + 3) * ratio };
      const places = placesBeside(x, size, plot, 4 * ratio);
      const box = room.place(places, (candidate) => [candidate]) ?? places.find(({ right }) => right <= plot.right);
      const { left, top, bottom } = box ?? places[1]!;
      ctx.setLineDash([]);
      ctx.lineWidth = 3 * ratio;
      ctx.strokeStyle = colors.ground;
      ctx.strokeText(title, left, (top + bottom) / 2);
      ctx.fillText(title, left, (top + bottom) / 2);
    }
  }
  ctx.restore();
}
