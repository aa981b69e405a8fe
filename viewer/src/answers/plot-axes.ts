/** The axes of a chart: where their marks are and what they say, with units. */

import { fit, type TickRange, type TimeBase, ticks } from "@tilescope/client";
import type uPlot from "uplot";
import { type TimeAxis, timeAxis } from "../base/axis";
import type { ChartData } from "./chart-data";
import { scaleOf } from "./figures";
import type { PlotOptions } from "./plot-options";

export const FONT_PX = 11;
/** Between the labels of x. */
const X_GAP_PX = 96;
/** Heights of the labels of x, and of the line that says what they count from. */
const X_AXIS_PX = 26;
const ANCHOR_PX = 16;
/** Until it is laid out. */
const FIRST_WIDTH_PX = 800;
const NAME_CHARS = 16;
/** Room for so many characters, and for what keeps them apart from the next name. */
const NAME_PX = 112;

function timeMarks(chart: uPlot, data: ChartData, time: TimeBase): TimeAxis {
  const { min, max } = chart.scales.x!;
  const span: TickRange = {
    startTicks: ticks(data.zero + BigInt(Math.floor(min ?? 0))),
    endTicks: ticks(data.zero + BigInt(Math.ceil(max ?? 1))),
  };
  return timeAxis(fit(span, chart.over.clientWidth || chart.width || FIRST_WIDTH_PX), time, "relative");
}

/** Draws the origin of the marks of time, where they have one. */
export function drawAnchor(chart: uPlot, { data, time, colors }: PlotOptions): void {
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

export function xAxis({ data, time }: PlotOptions, axis: uPlot.Axis): uPlot.Axis {
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
    const every = (width: number) => Math.max(1, Math.ceil((data.xs.length * NAME_PX) / Math.max(1, width)));
    return {
      ...axis,
      size: X_AXIS_PX,
      grid: { show: false },
      splits: (chart) => data.xs.filter((x) => x % every(chart.width) === 0),
      values: (_chart, splits) => splits.map((place) => cut(data.x.text(data.x.value(data.rows[place]!)))),
    };
  }
  const { kind, unit } = data.series.x;
  const isWhole = kind === "count" || kind === "id" || kind === "ticks" || kind === "ps";
  return {
    ...axis,
    size: X_AXIS_PX,
    space: X_GAP_PX / 2,
    ...marksOf(isWhole, data.isLog),
    values: (_chart, splits) => labels({ kind, unit }, splits, time, data.isLog),
  };
}

/** Draws the title of x at the left of its labels, where these do not say it. */
export function drawXTitle(chart: uPlot, { data, colors }: PlotOptions): void {
  if (data.xKind !== "number" || data.x.title === "") {
    return;
  }
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = colors.text;
  ctx.font = `${FONT_PX * devicePixelRatio}px ${colors.font}`;
  ctx.textAlign = data.isLog ? "right" : "left";
  ctx.textBaseline = data.isLog ? "bottom" : "top";
  const left = data.isLog ? bbox.left + bbox.width - 4 * devicePixelRatio : 4 * devicePixelRatio;
  const top = bbox.top + bbox.height + (data.isLog ? -4 : 9) * devicePixelRatio;
  ctx.fillText(data.x.title, left, top);
  ctx.restore();
}

/** Whole numbers have no marks between them; on a scale of logarithms marks are powers of ten. */
function marksOf(isWhole: boolean, isLog: boolean): Partial<uPlot.Axis> {
  if (!isLog) {
    return isWhole ? { incrs: WHOLE_STEPS } : {};
  }
  return {
    splits: (_chart, _axis, min, max) => {
      const powers: number[] = [];
      for (let power = Math.ceil(Math.log10(min)); power <= Math.log10(max); power++) {
        powers.push(10 ** power);
      }
      const every = Math.ceil(powers.length / MOST_POWERS);
      const marks = powers.filter((_, k) => k % every === 0);
      return marks.length > 2
        ? marks
        : powers.flatMap((power) => [power, 2 * power, 5 * power]).filter((mark) => mark <= max);
    },
    filter: (_chart, splits) => splits,
  };
}

/** So many marks leave room for their words. */
const MOST_POWERS = 9;

/** 1, 2 and 5 times powers of ten. */
const WHOLE_STEPS: number[] = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

export function yAxis(options: PlotOptions, axis: uPlot.Axis) {
  return ({ id, columns }: ChartData["measures"][number], k: number): uPlot.Axis => {
    const { kind, unit } = columns[0]!.column;
    const isWhole = kind !== "fraction" && kind !== "rate" && kind !== "number";
    return {
      ...axis,
      scale: id,
      show: k < 2,
      side: k === 0 ? 3 : 1,
      size: (chart, values) => fittingSize(chart, values, k === 0 ? xTitleLength(options) : 0),
      space: 24,
      ...(k === 0 ? {} : { grid: { show: false } }),
      ...marksOf(isWhole, options.data.isLog),
      values: (_chart, splits) => labels({ kind, unit }, splits, options.time, options.data.isLog),
    };
  };
}

/** Characters of the title of x that stand below the first axis of y, as `drawXTitle` writes it. */
function xTitleLength({ data }: PlotOptions): number {
  return data.xKind === "number" && !data.isLog ? Math.min(data.x.title.length, MOST_TITLE) : 0;
}

/** Longer titles of x may reach below the chart: a wider axis would cost more than that. */
const MOST_TITLE = 12;

/** As wide as the longest label, or as so many characters. */
function fittingSize(_chart: uPlot, values: string[] | null, least = 0): number {
  const longest = (values ?? []).reduce((most, value) => Math.max(most, value?.length ?? 0), Math.max(3, least));
  return Math.round(longest * 6.2 + 16);
}

export function heatAxis({ data }: PlotOptions, axis: uPlot.Axis): uPlot.Axis {
  const step = Math.max(1, Math.ceil(data.ys.length / 12));
  const rows = data.ys.map((_, y) => y).filter((y) => y % step === 0);
  return {
    ...axis,
    scale: "y0",
    grid: { show: false },
    size: (chart, values) => fittingSize(chart, values),
    splits: () => rows.map((y) => y + 0.5),
    values: () => rows.map((y) => cut(data.ys[y]!.title)),
  };
}

/** Marks of an axis with their unit: all in one, or on a scale of logarithms each in its own. Null: a mark without words. */
function labels(
  drawn: Parameters<typeof scaleOf>[0],
  splits: readonly (number | null)[],
  time: TimeBase,
  isLog: boolean,
): string[] {
  const there = splits.filter((split) => split !== null);
  const whole = scaleOf(drawn, there, time);
  const isWhole = drawn.kind !== "fraction" && drawn.kind !== "rate" && drawn.kind !== "number";
  return splits.map((split) => {
    if (split === null) {
      return "";
    }
    const scale = isLog ? scaleOf(drawn, [split], time) : whole;
    const digits = scale.text(isWhole ? BigInt(Math.round(split)).toString() : split);
    return scale.unit === "" || split === 0 ? digits : `${digits} ${scale.unit}`;
  });
}

function cut(text: string): string {
  return text.length <= NAME_CHARS ? text : `${text.slice(0, NAME_CHARS - 1)}…`;
}
