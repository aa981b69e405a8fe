/**
 * The time axis: where its marks stand and what they say.
 *
 * Steps are 1, 2 or 5 times a power of ten (of minutes and hours beyond that). When the view is far from the origin,
 * what all labels have in common is said once, as the anchor, and the marks count from there.
 */

import {
  floorDiv,
  formatExactDuration,
  formatUtc,
  groupDigits,
  PS_PER_S,
  type Ticks,
  type TimeBase,
  type TimeFormat,
  UNITS,
  utcPs,
  type View,
  visibleRange,
  xOfTick,
} from "@tilescope/client";

export interface AxisMark {
  readonly timeTicks: Ticks;
  readonly xPx: number;
  readonly label: string;
}

export interface TimeAxis {
  readonly stepTicks: Ticks;
  /** What the marks count from, or "" when their labels are complete. */
  readonly anchor: string;
  readonly marks: readonly AxisMark[];
}

const PS_PER_MIN = 60n * PS_PER_S;
const SIXTIES: readonly bigint[] = [1n, 2n, 5n, 10n, 15n, 30n, 60n, 120n, 360n, 720n, 1440n].map((n) => n * PS_PER_MIN);

/** The marks of a view, at least `minGapPx` apart. */
export function timeAxis(view: View, base: TimeBase, format: TimeFormat, minGapPx = 90): TimeAxis {
  const tickPs = BigInt(base.tickPs);
  const minStepTicks = Math.max(1, minGapPx * view.ticksPerPx);
  const stepTicks =
    format === "ticks" ? decimalStep(minStepTicks) : stepPs(minStepTicks * base.tickPs, base.tickPs) / tickPs;
  const range = visibleRange(view);
  // Marks stand on round numbers of what is shown: of the wall clock in UTC, of the run's own time otherwise.
  const zeroTicks = format === "utc" ? floorDiv(utcPs(0n, base), tickPs) : 0n;
  const labels = labeller(range.startTicks, stepTicks, base, format);
  const marks: AxisMark[] = [];
  let time = floorDiv(range.startTicks + zeroTicks + stepTicks - 1n, stepTicks) * stepTicks - zeroTicks;
  for (; time <= range.endTicks; time += stepTicks) {
    const xPx = xOfTick(view, time);
    if (xPx >= 0 && xPx <= view.widthPx) {
      marks.push({ timeTicks: time as Ticks, xPx, label: labels.label(time) });
    }
  }
  return { stepTicks: stepTicks as Ticks, anchor: labels.anchor, marks };
}

interface Labeller {
  readonly anchor: string;
  label(time: bigint): string;
}

function labeller(start: bigint, step: bigint, base: TimeBase, format: TimeFormat): Labeller {
  const tickPs = BigInt(base.tickPs);
  if (format === "ticks") {
    return { anchor: "", label: (time) => groupDigits(time.toString()) };
  }
  const zeroPs = format === "utc" ? utcPs(0n, base) : 0n;
  if (step * tickPs >= PS_PER_S) {
    return format === "utc"
      ? {
          anchor: formatUtc(zeroPs + start * tickPs, 0).slice(0, 10),
          label: (time) => formatUtc(zeroPs + time * tickPs, 0).slice(11),
        }
      : { anchor: "", label: (time) => clockLabel(time * tickPs) };
  }
  const unit = UNITS.findLast((candidate) => candidate.ps <= step * tickPs) ?? UNITS[0]!;
  const anchorPs = anchorOf(zeroPs + start * tickPs, 1000n * unit.ps, format);
  const count = (time: bigint) => groupDigits(((zeroPs + time * tickPs - anchorPs) / unit.ps).toString());
  if (anchorPs === 0n) {
    return { anchor: "", label: (time) => `${count(time)} ${unit.name}` };
  }
  const anchor = format === "utc" ? utcAnchor(anchorPs) : formatExactDuration(anchorPs / tickPs, base.tickPs);
  return { anchor, label: (time) => `+${count(time)} ${unit.name}` };
}

/** The latest multiple of `unitPs` at or before the view; 0 near the start of a run, where labels are short anyway. */
function anchorOf(startPs: bigint, unitPs: bigint, format: TimeFormat): bigint {
  return format === "utc" || startPs >= 10n * unitPs ? floorDiv(startPs, unitPs) * unitPs : 0n;
}

function utcAnchor(ps: bigint): string {
  const text = formatUtc(ps, 12);
  return text.replace(/(\u202f000)+$/, "").replace(/\.000$/, "");
}

/** Whole seconds: `5 s`, `2 min`, `2 min 10 s`, `1 h 5 min`. */
function clockLabel(ps: bigint): string {
  const sign = ps < 0n ? "-" : "";
  const seconds = (ps < 0n ? -ps : ps) / PS_PER_S;
  const parts = [
    [seconds / 3600n, "h"],
    [(seconds / 60n) % 60n, "min"],
    [seconds % 60n, "s"],
  ] as const;
  const text = parts.filter(([value]) => value !== 0n).map(([value, name]) => `${value} ${name}`);
  return text.length === 0 ? "0 s" : sign + text.join(" ");
}

function stepPs(minPs: number, tickPs: number): bigint {
  if (minPs > Number(30n * PS_PER_S)) {
    const step = SIXTIES.find((candidate) => Number(candidate) >= minPs);
    if (step !== undefined) {
      return step;
    }
    const dayPs = 1440n * PS_PER_MIN;
    return dayPs * decimalStep(minPs / Number(dayPs));
  }
  const step = decimalStep(minPs / tickPs) * BigInt(tickPs);
  // 50 s is no round number of a minute.
  return step === 50n * PS_PER_S ? PS_PER_MIN : step;
}

/** The smallest of 1, 2, 5, 10, 20, … that is not below `minimum`. */
function decimalStep(minimum: number): bigint {
  let power = 1n;
  for (;;) {
    for (const factor of [1n, 2n, 5n]) {
      if (Number(factor * power) >= minimum) {
        return factor * power;
      }
    }
    power *= 10n;
  }
}
