/** A chart on a canvas, by uPlot. This module and the library are loaded when the first chart is shown. */

import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";
import type { ChartData } from "./chart-data";
import { DASHES, type SeriesStyle, seriesStyles } from "./chart-style";
import { drawAnchor, drawXTitle, FONT_PX, heatAxis, xAxis, yAxis } from "./plot-axes";
import { barPaths, drawHeat, textured } from "./plot-bars";
import { brushed, brushParts, showBrushed } from "./plot-brush";
import { drawCompared, drawLit } from "./plot-compared";
import type { PlotOptions } from "./plot-options";
import { drawRules, drawSpan } from "./plot-overlay";
import { drawLineNames, drawPoints, labelRoom, nearestPoint, pointAt } from "./plot-points";
import type { PlaceSpan } from "./step-brush";

/** Room for half a label with a unit, as of a mark at the right end: "10,000 FLOP/B", "1 min 30 s". */
const HALF_LABEL_PX = 40;

/** Draws into an element. */
export class Plot {
  readonly #chart: uPlot;
  readonly #options: PlotOptions;
  readonly #observer: ResizeObserver;
  /** The place that keys have gone to, until the pointer moves. */
  readonly #walked: { place: number | null } = { place: null };

  /** The place that stands out. */
  readonly #lit: { place: number | null } = { place: null };

  constructor(element: HTMLElement, options: PlotOptions) {
    this.#options = options;
    const size = { width: Math.max(120, element.clientWidth), height: Math.max(80, element.clientHeight) };
    this.#chart = new uPlot(uplotOptions(options, size, this.#walked, this.#lit), alignedData(options), element);
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
    if (x === undefined) {
      return;
    }
    const point = this.#options.data.series.kind === "points" ? pointAt(this.#chart, this.#options, place) : null;
    this.#walked.place = point === null ? null : place;
    this.#chart.setCursor({ left: this.#chart.valToPos(x, "x"), top: point?.topPx ?? 8 });
    this.#walked.place = null;
  }

  /** Draws what lies over the chart anew. */
  redraw(): void {
    this.#chart.redraw(false, false);
  }

  /** Has a place stand out; null: none. */
  light(place: number | null): void {
    if (this.#lit.place !== place) {
      this.#lit.place = place;
      this.#chart.redraw(false);
    }
  }

  /** Shows which places are chosen; null: none. */
  choose(places: PlaceSpan | null): void {
    showBrushed(this.#chart, this.#options, places);
  }

  destroy(): void {
    this.#observer.disconnect();
    this.#chart.destroy();
  }
}

function alignedData({ data, isShown }: PlotOptions): uPlot.AlignedData {
  return data.plotted(isShown).map((column) => [...column]) as uPlot.AlignedData;
}

function uplotOptions(
  options: PlotOptions,
  size: { width: number; height: number },
  walked: { readonly place: number | null },
  lit: { readonly place: number | null },
): uPlot.Options {
  const { data, colors } = options;
  const { kind } = data.series;
  const brush = brushParts(options);
  const isHeat = kind === "heat";
  const measures = isHeat ? [] : data.measures;
  const log = data.isLog ? ({ distr: 3, log: 10 } as const) : {};
  const scales: uPlot.Scales = { x: { time: false, range: xRange(data), ...log } };
  for (const { id } of measures) {
    scales[id] = { range: data.isLog ? logRange : yRange(data), ...log };
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
  const styles = seriesStyles(data.ids, colors.theme, colors.forced);
  const scaleOfColumn = (column: ChartData["ys"][number]) =>
    measures.find((measure) => measure.columns.includes(column))?.id ?? "y0";
  return {
    ...size,
    padding: [8, data.isLog || data.xKind === "time" ? HALF_LABEL_PX : 12, 0, 4],
    legend: { show: false },
    cursor: {
      x: kind !== "points",
      y: false,
      ...brush.cursor,
      points: { show: kind === "line", size: 7 },
    },
    scales,
    axes: [xAxis(options, axis), ...(isHeat ? [heatAxis(options, axis)] : measures.map(yAxis(options, axis)))],
    series: [
      {},
      ...data.ys.map((column, y) => ({
        label: column.title,
        scale: isHeat ? "y0" : scaleOfColumn(column),
        ...drawnAs(data, y, styles[y]!, options),
      })),
      ...data.lines.map((column, k) => ({
        label: column.title,
        scale: scaleOfColumn(column),
        stroke: colors.text,
        width: 1.5,
        dash: [...DASHES[k % DASHES.length]!],
        points: { show: false },
        spanGaps: true,
      })),
    ],
    hooks: {
      ...brush.hooks,
      drawAxes: [(chart) => drawSpan(chart, options)],
      draw: [
        (chart) => {
          if (isHeat) {
            drawHeat(chart, options);
          }
          const room = labelRoom(chart, options);
          drawLineNames(chart, options, room);
          if (kind === "points") {
            drawPoints(chart, options, styles, room);
          }
          drawRules(chart, options, room);
        },
        (chart) => drawLit(chart, options, lit.place),
        (chart) => drawAnchor(chart, options),
        (chart) => drawXTitle(chart, options),
        (chart) => drawCompared(chart, options),
      ],
      setCursor: [
        (chart) => {
          const { idx, left = -1, top = -1 } = chart.cursor;
          if (kind === "points") {
            const place = walked.place ?? (left < 0 ? null : nearestPoint(chart, options, left, top));
            const point = place === null ? null : pointAt(chart, options, place);
            options.onPoint(point === null ? null : place, null, (point?.leftPx ?? 0) + chart.over.offsetLeft);
            return;
          }
          const place = left < 0 || idx === null || idx === undefined ? null : idx;
          const row = isHeat && top >= 0 ? Math.floor(chart.posToVal(top, "y0")) : null;
          options.onPoint(place, row, left + chart.over.offsetLeft);
          const places = brushed(chart, options);
          if (places !== null) {
            showBrushed(chart, options, places);
            options.onBrush(places, false);
          }
        },
      ],
    },
  };
}

/** Bars and cells need half a gap on both sides. */
function xRange(data: ChartData): uPlot.Scale.Range {
  const { kind } = data.series;
  if (data.isLog) {
    return logRange;
  }
  const pad = kind === "bars" || kind === "heat" || data.isColumns ? data.gap / 2 : 0;
  // Of a single place uPlot would show a hundred more.
  const [min, max] = [data.xs[0] ?? 0, data.xs.at(-1) ?? 1];
  return () => (min === max && pad === 0 ? [min - 1, max + 1] : [min - pad, max + pad]);
}

/** So that no point is on the rim, and names have room above. */
function logRange(_chart: uPlot, min: number | null, max: number | null): [number, number] {
  return min === null || max === null || min <= 0
    ? [1, 10]
    : [min / 1.8, max * 10 ** (0.2 + 0.09 * Math.log10(max / min))];
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

function drawnAs(data: ChartData, y: number, style: SeriesStyle, options: PlotOptions): Partial<uPlot.Series> {
  const isFew = data.xs.length <= 60;
  // What is so from some time on is so until the next.
  const steps = data.xKind === "time" ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {};
  const bars: Partial<uPlot.Series> = {
    stroke: style.ink,
    width: 1,
    fill: (chart) => textured(chart, style),
    points: { show: false },
    paths: (chart, _series, from, to) => barPaths(chart, options, y, from, to),
  };
  switch (data.isLevel(y) ? "line" : data.series.kind) {
    case "line":
      return {
        stroke: style.line,
        width: 2,
        dash: [...style.dash],
        points: { show: isFew, size: 5, fill: style.line },
        spanGaps: false,
        ...steps,
      };
    case "area":
      return data.isColumns ? bars : { ...bars, paths: uPlot.paths.linear!(), ...steps };
    case "bars":
      return bars;
    case "heat":
    case "points":
      return { paths: () => null, points: { show: false } };
  }
}
