/** Points of a chart, with their names where there is room, and the names of limits along their lines. */

import type uPlot from "uplot";
import { MARKERS, type SeriesStyle } from "./chart-style";
import { FONT_PX } from "./plot-axes";
import type { PlotOptions } from "./plot-options";

/** Half of a point. */
const POINT_PX = 5;
/** The pointer is at a point that is no farther. */
const NEAR_PX = 28;
const NAME_CHARS = 28;

/** Position of a point, from the corner of the plot. */
export interface PointPlace {
  readonly leftPx: number;
  readonly topPx: number;
}

/** The point at a place of x: that of the first series that has one; null: none is shown. */
export function pointAt(chart: uPlot, { data, isShown }: PlotOptions, place: number): PointPlace | null {
  for (const [y, column] of data.ys.entries()) {
    const value = isShown(y) ? (chart.data[y + 1]?.[place] ?? null) : null;
    if (value !== null) {
      const scale = data.measures.find((measure) => measure.columns.includes(column))!.id;
      return { leftPx: chart.valToPos(data.xs[place]!, "x"), topPx: chart.valToPos(value, scale) };
    }
  }
  return null;
}

/** The place of the point that is nearest, if any is near. */
export function nearestPoint(chart: uPlot, options: PlotOptions, leftPx: number, topPx: number): number | null {
  let nearest: number | null = null;
  let least = NEAR_PX;
  for (const place of options.data.stops) {
    const point = pointAt(chart, options, place);
    const distance = point === null ? least : Math.hypot(point.leftPx - leftPx, point.topPx - topPx);
    if (distance < least) {
      least = distance;
      nearest = place;
    }
  }
  return nearest;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Points, each in the shape of its series; those that the answer names first get their names first. */
export function drawPoints(chart: uPlot, options: PlotOptions, styles: readonly SeriesStyle[]): void {
  const { data, colors } = options;
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const byRow = [...data.stops].sort((a, b) => data.rows[a]! - data.rows[b]!);
  const taken: Box[] = [];
  const placed = byRow.flatMap((place) => {
    const point = pointAt(chart, options, place);
    if (point === null) {
      return [];
    }
    const x = bbox.left + point.leftPx * ratio;
    const y = bbox.top + point.topPx * ratio;
    const half = (POINT_PX + 1) * ratio;
    taken.push({ left: x - half, top: y - half, right: x + half, bottom: y + half });
    return [{ place, x, y }];
  });
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.setLineDash([]); // limits leave theirs
  // The first stand above the others.
  for (const { place, x, y } of placed.toReversed()) {
    const series = data.ys.findIndex((_, k) => options.isShown(k) && data.has(k, place));
    const style = styles[series]!;
    ctx.save();
    ctx.translate(x, y);
    ctx.scale(POINT_PX * ratio, POINT_PX * ratio);
    const shape = new Path2D(markerPath(series));
    ctx.fillStyle = style.fill;
    ctx.strokeStyle = style.line;
    ctx.lineWidth = 0.35;
    ctx.fill(shape);
    ctx.stroke(shape);
    ctx.restore();
  }
  if (data.labels !== null) {
    ctx.font = `${FONT_PX * ratio}px ${colors.font}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    ctx.lineWidth = 3 * ratio;
    ctx.lineJoin = "round";
    for (const { place, x, y } of placed) {
      const text = cut(data.placeText(place));
      const width = ctx.measureText(text).width;
      const height = (FONT_PX + 2) * ratio;
      const gap = (POINT_PX + 4) * ratio;
      const free = [
        { left: x + gap, top: y - height / 2 },
        { left: x - gap - width, top: y - height / 2 },
        { left: x - width / 2, top: y - gap - height },
        { left: x - width / 2, top: y + gap },
      ].find(({ left, top }) => isFree({ left, top, right: left + width, bottom: top + height }, taken, bbox));
      if (free !== undefined) {
        taken.push({ ...free, right: free.left + width, bottom: free.top + height });
        ctx.strokeStyle = colors.ground;
        ctx.strokeText(text, free.left, free.top + height / 2);
        ctx.fillStyle = colors.text;
        ctx.fillText(text, free.left, free.top + height / 2);
      }
    }
  }
  ctx.restore();
}

function markerPath(series: number): string {
  return MARKERS[series % MARKERS.length]!;
}

function isFree(box: Box, taken: readonly Box[], bbox: uPlot.BBox): boolean {
  const isInside =
    box.left >= bbox.left &&
    box.right <= bbox.left + bbox.width &&
    box.top >= bbox.top &&
    box.bottom <= bbox.top + bbox.height;
  return (
    isInside &&
    taken.every(
      (other) => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
    )
  );
}

function cut(text: string): string {
  return text.length <= NAME_CHARS ? text : `${text.slice(0, NAME_CHARS - 1)}…`;
}

/** Along each limit its name; where a slope ends and a limit becomes level, its ridge, with the x of it. */
export function drawLineNames(chart: uPlot, { data, colors }: PlotOptions): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  data.lines.forEach((column, k) => {
    const scale = data.measures.find((measure) => measure.columns.includes(column))!.id;
    const values = chart.data[1 + data.ys.length + k]!;
    const points = data.xs.flatMap((x, place) => {
      const value = values[place] ?? null;
      return value === null
        ? []
        : [{ place, value, left: chart.valToPos(x, "x", true), top: chart.valToPos(value, scale, true) }];
    });
    const [first] = points;
    const last = points.at(-1);
    if (first === undefined || last === undefined || first === last) {
      return;
    }
    const ridgeAt = points.findIndex(({ value }) => value >= last.value * (1 - 1e-9));
    const ridge = points[ridgeAt]!;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${FONT_PX * ratio}px ${colors.font}`;
    ctx.fillStyle = colors.text;
    ctx.textBaseline = "bottom";
    if (ridgeAt > 0) {
      // On the slope, which has a hand's breadth at least where it is told from the others.
      ctx.save();
      ctx.translate(first.left, first.top);
      ctx.rotate(Math.atan2(ridge.top - first.top, ridge.left - first.left));
      const along = Math.hypot(ridge.top - first.top, ridge.left - first.left);
      if (along > ctx.measureText(column.title).width + (24 + 84 * k) * ratio) {
        ctx.textAlign = "left";
        // Limits that lie near each other have their names one after the other.
        ctx.fillText(column.title, (16 + 84 * k) * ratio, -3 * ratio);
      }
      ctx.restore();
      ctx.beginPath();
      ctx.arc(ridge.left, ridge.top, 3.5 * ratio, 0, 2 * Math.PI);
      ctx.fill();
      ctx.textAlign = "center";
      ctx.textBaseline = k % 2 === 0 ? "top" : "bottom";
      ctx.fillText(`ridge ${data.xShort(ridge.place)}`, ridge.left, ridge.top + (k % 2 === 0 ? 6 : -6) * ratio);
    } else {
      // Above its line, or below it where the plot ends.
      const isNearTop = last.top - bbox.top < (FONT_PX + 5) * ratio;
      ctx.textAlign = "right";
      ctx.textBaseline = isNearTop ? "top" : "bottom";
      ctx.fillText(column.title, bbox.left + bbox.width - 6 * ratio, last.top + (isNearTop ? 4 : -3) * ratio);
    }
    ctx.restore();
  });
}
