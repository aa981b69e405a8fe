/** A chart on a canvas, by uPlot. This module and the library are loaded when the first chart is shown. */

import "uplot/dist/uPlot.min.css";
import { fit, type TickRange, type TimeBase, ticks } from "@tilescope/client";
import uPlot from "uplot";
import { type TimeAxis, timeAxis } from "../base/axis";
import type { ChartData } from "./chart-data";
import { heatColor, type PlotColors, type SeriesStyle, seriesStyle, TEXTURE_PATHS } from "./chart-style";
import { scaleOf } from "./figures";

export interface PlotOptions {
  readonly data: ChartData;
  readonly time: TimeBase;
  readonly colors: PlotColors;
  isShown(y: number): boolean;
  /** The pointer is at a place of x and, in a heat map, at a row; null: at none. */
  onPoint(place: number | null, row: number | null, leftPx: number): void;
}

const FONT_PX = 11;
/** Between the labels of x. */
const X_GAP_PX = 96;
/** Heights of the labels of x, and of the line that says what they count from. */
const X_AXIS_PX = 26;
const ANCHOR_PX = 16;
/** Until it is laid out. */
const FIRST_WIDTH_PX = 800;
const NAME_CHARS = 16;
const MOST_BAR_PX = 48;

/** Draws into an element. */
export class Plot {
  readonly #chart: uPlot;
  readonly #options: PlotOptions;
  readonly #observer: ResizeObserver;

  constructor(element: HTMLElement, options: PlotOptions) {
    this.#options = options;
    const size = { width: Math.max(120, element.clientWidth), height: Math.max(80, element.clientHeight) };
    this.#chart = new uPlot(uplotOptions(options, size), alignedData(options), element);
    this.#observer = new ResizeObserver(() => {
      this.#chart.setSize({ width: Math.max(120, element.clientWidth), height: Math.max(80, element.clientHeight) });
    });
    this.#observer.observe(element);
  }

  get canvas(): HTMLCanvasElement {
    return this.#chart.ctx.canvas;
  }

  /** Draws anew, after another series was shown or hidden. */
  update(): void {
    this.#chart.setData(alignedData(this.#options));
  }

  /** Puts the cursor to a place of x. */
  point(place: number): void {
    const x = this.#options.data.xs[place];
    if (x !== undefined) {
      this.#chart.setCursor({ left: this.#chart.valToPos(x, "x"), top: 8 });
    }
  }

  destroy(): void {
    this.#observer.disconnect();
    this.#chart.destroy();
  }
}

function alignedData({ data, isShown }: PlotOptions): uPlot.AlignedData {
  return data.plotted(isShown).map((column) => [...column]) as uPlot.AlignedData;
}

function uplotOptions(options: PlotOptions, size: { width: number; height: number }): uPlot.Options {
  const { data, colors } = options;
  const isHeat = data.series.kind === "heat";
  const measures = isHeat ? [] : data.measures;
  const scales: uPlot.Scales = { x: { time: false, range: xRange(data) } };
  for (const { id } of measures) {
    scales[id] = { range: yRange(data) };
  }
  if (isHeat) {
    scales.y0 = { range: () => [0, data.ys.length], dir: -1 };
  }
  const grid = { stroke: colors.line, width: 1 };
  const axis = {
    stroke: colors.text,
    font: `${FONT_PX}px ${colors.font}`,
    grid: { ...grid, show: !isHeat },
    ticks: { ...grid, size: 4 },
    gap: 4,
  };
  const styles = data.ys.map((_, y) => seriesStyle(y, data.ys.length, colors.theme, colors.forced));
  return {
    ...size,
    padding: [8, 12, 0, 4],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { show: data.series.kind === "line", size: 7 },
    },
    scales,
    axes: [xAxis(options, axis), ...(isHeat ? [heatAxis(options, axis)] : measures.map(yAxis(options, axis)))],
    series: [
      {},
      ...data.ys.map((column, y) => ({
        label: column.title,
        scale: isHeat ? "y0" : measures.find((measure) => measure.columns.includes(column))!.id,
        ...drawnAs(data, y, styles[y]!, options),
      })),
    ],
    hooks: {
      draw: [(chart) => (isHeat ? drawHeat(chart, options) : undefined), (chart) => drawAnchor(chart, options)],
      setCursor: [
        (chart) => {
          const { idx, left = -1, top = -1 } = chart.cursor;
          const place = left < 0 || idx === null || idx === undefined ? null : idx;
          const row = isHeat && top >= 0 ? Math.floor(chart.posToVal(top, "y0")) : null;
          options.onPoint(place, row, left + chart.over.offsetLeft);
        },
      ],
    },
  };
}

/** Bars and cells need half a gap on both sides. */
function xRange(data: ChartData): uPlot.Scale.Range {
  const pad = data.series.kind === "bars" || data.series.kind === "heat" ? data.gap / 2 : 0;
  return (_chart, min, max) => (min === max && pad === 0 ? [min - 1, max + 1] : [min - pad, max + pad]);
}

/** Parts of a whole stand on zero; levels do where that does not hide how they change. */
function yRange(data: ChartData): uPlot.Scale.Range {
  return (_chart, least, most) => {
    if (least === null || most === null) {
      return [0, 1];
    }
    const isFromZero = data.series.kind !== "line" || (least >= 0 && least < 0.75 * most);
    const min = isFromZero ? Math.min(0, least) : least;
    const max = isFromZero ? Math.max(0, most) : most;
    const pad = max === min ? Math.abs(max) || 1 : 0.06 * (max - min);
    return [min === 0 ? 0 : min - pad, max + (max === 0 && min < 0 ? 0 : pad)];
  };
}

function timeMarks(chart: uPlot, data: ChartData, time: TimeBase): TimeAxis {
  const { min, max } = chart.scales.x!;
  const span: TickRange = {
    startTicks: ticks(data.zero + BigInt(Math.floor(min ?? 0))),
    endTicks: ticks(data.zero + BigInt(Math.ceil(max ?? 1))),
  };
  return timeAxis(fit(span, chart.over.clientWidth || chart.width || FIRST_WIDTH_PX), time, "relative");
}

/** What the marks of time count from, where they do. */
function drawAnchor(chart: uPlot, { data, time, colors }: PlotOptions): void {
  const anchor = data.xKind === "time" ? timeMarks(chart, data, time).anchor : "";
  if (anchor === "") {
    return;
  }
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = colors.text;
  ctx.font = `${FONT_PX * devicePixelRatio}px ${colors.font}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(`from ${anchor}`, bbox.left, bbox.top + bbox.height + X_AXIS_PX * devicePixelRatio);
  ctx.restore();
}

function xAxis({ data, time }: PlotOptions, axis: uPlot.Axis): uPlot.Axis {
  if (data.xKind === "time") {
    return {
      ...axis,
      size: (chart) => (timeMarks(chart, data, time).anchor === "" ? X_AXIS_PX : X_AXIS_PX + ANCHOR_PX),
      splits: (chart) => timeMarks(chart, data, time).marks.map((mark) => Number(mark.timeTicks - data.zero)),
      values: (chart, splits) => {
        const { marks } = timeMarks(chart, data, time);
        const labels = new Map(marks.map((mark) => [Number(mark.timeTicks - data.zero), mark.label]));
        return splits.map((split) => labels.get(split) ?? "");
      },
    };
  }
  if (data.xKind === "names") {
    const every = (width: number) => Math.max(1, Math.ceil((data.xs.length * X_GAP_PX) / Math.max(1, width)));
    return {
      ...axis,
      size: X_AXIS_PX,
      grid: { show: false },
      splits: (chart) => data.xs.filter((x) => x % every(chart.width) === 0),
      values: (_chart, splits) => splits.map((place) => cut(data.x.text(data.x.value(data.rows[place]!)))),
    };
  }
  const { kind, unit } = data.series.x;
  const isWhole = kind === "count" || kind === "id" || kind === "ticks";
  return {
    ...axis,
    size: X_AXIS_PX,
    space: X_GAP_PX / 2,
    ...(isWhole ? { incrs: WHOLE_STEPS } : {}),
    values: (_chart, splits) => labels({ kind, unit }, splits, time),
  };
}

/** 1, 2 and 5 times powers of ten. */
const WHOLE_STEPS: number[] = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

function yAxis(options: PlotOptions, axis: uPlot.Axis) {
  return ({ id, columns }: ChartData["measures"][number], k: number): uPlot.Axis => {
    const { kind, unit } = columns[0]!.column;
    const isWhole = kind !== "fraction" && kind !== "rate" && kind !== "number";
    return {
      ...axis,
      scale: id,
      show: k < 2,
      side: k === 0 ? 3 : 1,
      size: fittingSize,
      space: 24,
      ...(k === 0 ? {} : { grid: { show: false } }),
      ...(isWhole ? { incrs: WHOLE_STEPS } : {}),
      values: (_chart, splits) => labels({ kind, unit }, splits, options.time),
    };
  };
}

/** As wide as the longest label. */
function fittingSize(_chart: uPlot, values: string[] | null): number {
  const longest = (values ?? []).reduce((most, value) => Math.max(most, value?.length ?? 0), 3);
  return Math.round(longest * 6.2 + 16);
}

function heatAxis({ data }: PlotOptions, axis: uPlot.Axis): uPlot.Axis {
  const step = Math.max(1, Math.ceil(data.ys.length / 12));
  const rows = data.ys.map((_, y) => y).filter((y) => y % step === 0);
  return {
    ...axis,
    scale: "y0",
    grid: { show: false },
    size: fittingSize,
    splits: () => rows.map((y) => y + 0.5),
    values: () => rows.map((y) => cut(data.ys[y]!.title)),
  };
}

/** Marks of an axis in one unit, with it. */
function labels(of: Parameters<typeof scaleOf>[0], splits: readonly number[], time: TimeBase): string[] {
  const scale = scaleOf(of, splits, time);
  const isWhole = of.kind !== "fraction" && of.kind !== "rate" && of.kind !== "number";
  return splits.map((split) => {
    const digits = scale.text(isWhole ? BigInt(Math.round(split)).toString() : split);
    return scale.unit === "" || split === 0 ? digits : `${digits} ${scale.unit}`;
  });
}

function cut(text: string): string {
  return text.length <= NAME_CHARS ? text : `${text.slice(0, NAME_CHARS - 1)}…`;
}

function drawnAs(data: ChartData, y: number, style: SeriesStyle, options: PlotOptions): Partial<uPlot.Series> {
  const isFew = data.xs.length <= 60;
  switch (data.series.kind) {
    case "line":
      return {
        stroke: style.line,
        width: 2,
        dash: [...style.dash],
        points: { show: isFew, size: 5, fill: style.line },
        spanGaps: false,
      };
    case "area":
      return { stroke: style.line, width: 1, fill: (chart) => textured(chart, style), points: { show: false } };
    case "bars":
      return {
        stroke: style.line,
        width: 1,
        fill: (chart) => textured(chart, style),
        points: { show: false },
        paths: (chart, _series, from, to) => barPaths(chart, options, y, from, to),
      };
    case "heat":
      return { paths: () => null, points: { show: false } };
    case "points":
      return { paths: () => null, points: { show: true, size: 6, fill: style.line } };
  }
}

/** Bars of several series stand side by side. */
function barPaths(
  chart: uPlot,
  { data, isShown }: PlotOptions,
  y: number,
  from: number,
  to: number,
): uPlot.Series.Paths {
  const shown = data.ys.map((_, k) => k).filter(isShown);
  const gapPx = Math.abs(chart.valToPos(data.gap, "x", true) - chart.valToPos(0, "x", true));
  const groupPx = Math.max(1, Math.min(gapPx * 0.8, MOST_BAR_PX * devicePixelRatio * shown.length));
  const barPx = groupPx / Math.max(1, shown.length);
  const scale = chart.series[y + 1]!.scale!;
  const zero = chart.valToPos(0, scale, true);
  const path = new Path2D();
  const values = chart.data[y + 1]!;
  for (let place = from; place <= to; place++) {
    const value = values[place] ?? null;
    if (value !== null) {
      const left = chart.valToPos(data.xs[place]!, "x", true) - groupPx / 2 + shown.indexOf(y) * barPx;
      const top = chart.valToPos(value, scale, true);
      // What is there is seen, however little it is.
      path.rect(left, Math.min(top, zero), Math.max(1, barPx - 1), Math.max(1, Math.abs(zero - top)));
    }
  }
  return { stroke: barPx >= 4 ? path : null, fill: path };
}

function textured(chart: uPlot, { fill, line, texture }: SeriesStyle): CanvasPattern | string {
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
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.stroke(new Path2D(TEXTURE_PATHS[texture]));
  return chart.ctx.createPattern(tile, "repeat") ?? fill;
}

function drawHeat(chart: uPlot, { data, colors, isShown }: PlotOptions): void {
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
      ctx.fillStyle = heatColor(max === min ? 1 : (value - min) / (max - min), colors.theme);
      ctx.fillRect(left, top, Math.max(1, Math.ceil(widthPx) - (widthPx > 6 ? 1 : 0)), height);
    });
  });
  ctx.restore();
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
