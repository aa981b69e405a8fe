/** Points of a chart, with their names where there is room, and the names of limits along their lines. */

import type uPlot from "uplot";
import { MARKERS, type SeriesStyle } from "./chart-style";
import { FONT_PX } from "./plot-axes";
import { LabelRoom, type Segment, slantedBoxes } from "./plot-labels";
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

/** Room in a plot around its points, the lines of its limits, and its curves where rules have names beside these. */
export function labelRoom(chart: uPlot, options: PlotOptions): LabelRoom {
  const { data } = options;
  const { bbox } = chart;
  const plot = { left: bbox.left, top: bbox.top, right: bbox.left + bbox.width, bottom: bbox.top + bbox.height };
  const lines = data.lines.flatMap((_, k) => {
    const corners = limitCorners(chart, data, k);
    return corners.slice(1).map((to, index) => {
      const from = corners[index]!;
      return { fromX: from.left, fromY: from.top, toX: to.left, toY: to.top };
    });
  });
  const hasRules = (options.overlay?.rules.length ?? 0) > 0;
  const room = new LabelRoom(plot, hasRules ? [...lines, ...curveSegments(chart, options)] : lines);
  const half = (POINT_PX + 1) * devicePixelRatio;
  const points = data.series.kind === "points" ? placedPoints(chart, options) : [];
  room.take(
    points.map(({ x, y }) => ({
      left: x - half,
      top: y - half,
      right: x + half,
      bottom: y + half,
    })),
  );
  return room;
}

/** The curves of a chart on the canvas, from point to point. */
function curveSegments(chart: uPlot, { data, isShown }: PlotOptions): readonly Segment[] {
  return data.ys.flatMap((column, y) => {
    const scale = data.measures.find((measure) => measure.columns.includes(column))!.id;
    const places = data.xs.flatMap((x, place) => {
      const value = isShown(y) ? (chart.data[y + 1]?.[place] ?? null) : null;
      return value === null ? [] : [{ x: chart.valToPos(x, "x", true), y: chart.valToPos(value, scale, true) }];
    });
    return places.slice(1).map((to, k) => ({ fromX: places[k]!.x, fromY: places[k]!.y, toX: to.x, toY: to.y }));
  });
}

/** Points on the canvas, those that the answer names first before the others. */
function placedPoints(chart: uPlot, options: PlotOptions) {
  const { data } = options;
  const { bbox } = chart;
  const byRow = [...data.stops].sort((a, b) => data.rows[a]! - data.rows[b]!);
  return byRow.flatMap((place) => {
    const point = pointAt(chart, options, place);
    return point === null
      ? []
      : [{ place, x: bbox.left + point.leftPx * devicePixelRatio, y: bbox.top + point.topPx * devicePixelRatio }];
  });
}

/** Corners of a limit's line on the canvas, with their places and values. */
function limitCorners(chart: uPlot, data: PlotOptions["data"], k: number) {
  const scale = data.measures.find((measure) => measure.columns.includes(data.lines[k]!))!.id;
  const values = chart.data[1 + data.ys.length + k]!;
  return data.xs.flatMap((x, place) => {
    const value = values[place] ?? null;
    return value === null
      ? []
      : [{ place, value, left: chart.valToPos(x, "x", true), top: chart.valToPos(value, scale, true) }];
  });
}

/** Points, each in the shape of its series; those that the answer names first get their names first. */
export function drawPoints(chart: uPlot, options: PlotOptions, styles: readonly SeriesStyle[], room: LabelRoom): void {
  const { data, colors } = options;
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const placed = placedPoints(chart, options);
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
    ctx.strokeStyle = style.ink;
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
      const free = room.place(
        [
          { left: x + gap, top: y - height / 2 },
          { left: x - gap - width, top: y - height / 2 },
          { left: x - width / 2, top: y - gap - height },
          { left: x - width / 2, top: y + gap },
          { left: x + gap, top: y + gap / 2 },
          { left: x - gap - width, top: y + gap / 2 },
        ],
        ({ left, top }) => [{ left, top, right: left + width, bottom: top + height }],
      );
      if (free !== null) {
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

function cut(text: string): string {
  return text.length <= NAME_CHARS ? text : `${text.slice(0, NAME_CHARS - 1)}…`;
}

/** Along each limit its name; where a slope ends and a limit becomes level, its ridge, with the x of it. */
export function drawLineNames(chart: uPlot, { data, colors }: PlotOptions, room: LabelRoom): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const height = (FONT_PX + 2) * ratio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${FONT_PX * ratio}px ${colors.font}`;
  ctx.fillStyle = colors.text;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  data.lines.forEach(({ title }, k) => {
    const corners = limitCorners(chart, data, k);
    const [first] = corners;
    const last = corners.at(-1);
    if (first === undefined || last === undefined || first === last) {
      return;
    }
    const width = ctx.measureText(title).width;
    const ridgeAt = corners.findIndex(({ value }) => value >= last.value * (1 - 1e-9));
    const ridge = corners[ridgeAt]!;
    if (ridgeAt === 0) {
      // Above its line, or below it where the plot ends.
      const left = bbox.left + bbox.width - 6 * ratio - width;
      const top = room.place([last.top - 3 * ratio - height, last.top + 4 * ratio], (top) => [
        { left, top, right: left + width, bottom: top + height },
      ]);
      if (top !== null) {
        ctx.fillText(title, left, top + height / 2);
      }
      return;
    }
    const angle = Math.atan2(ridge.top - first.top, ridge.left - first.left);
    const length = Math.hypot(ridge.top - first.top, ridge.left - first.left);
    const starts = [16, 100, 184, 268].map((start) => start * ratio).filter((start) => start + width < length);
    const onSlope = room.place(
      starts.flatMap((start) => [-1, 1].map((side) => ({ start, side }))),
      ({ start, side }) => {
        const { x, y } = beside(first, angle, start, side * (height / 2 + 3 * ratio));
        return slantedBoxes(x, y, angle, width, height);
      },
    );
    if (onSlope !== null) {
      const { x, y } = beside(first, angle, onSlope.start, onSlope.side * (height / 2 + 3 * ratio));
      ctx.save();
      ctx.translate(x, y);
      ctx.rotate(angle);
      ctx.fillText(title, 0, 0);
      ctx.restore();
    }
    ctx.beginPath();
    ctx.arc(ridge.left, ridge.top, 3.5 * ratio, 0, 2 * Math.PI);
    ctx.fill();
    const text = `ridge ${data.xShort(ridge.place)}`;
    const ridgeWidth = ctx.measureText(text).width;
    const place = room.place(
      [-1, 1].flatMap((side) =>
        [0.5, 0, 1].map((shift) => ({
          left: ridge.left - shift * ridgeWidth,
          top: side < 0 ? ridge.top - 4 * ratio - height : ridge.top + 6 * ratio,
        })),
      ),
      ({ left, top }) => [{ left, top, right: left + ridgeWidth, bottom: top + height }],
    );
    if (place !== null) {
      ctx.fillText(text, place.left, place.top + height / 2);
    }
  });
  ctx.restore();
}

/** A place so far along a line, and so far beside it: below it where that is positive. */
function beside(from: { readonly left: number; readonly top: number }, angle: number, along: number, aside: number) {
  return {
    x: from.left + along * Math.cos(angle) - aside * Math.sin(angle),
    y: from.top + along * Math.sin(angle) + aside * Math.cos(angle),
  };
}
