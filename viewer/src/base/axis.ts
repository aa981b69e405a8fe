/**
 * The time axis: where its marks stand and what they say.
 *
 * Steps are 1, 2 or 5 times a power of ten (of minutes and hours beyond that). A label is a number below 1000 with at most
 * three decimals, in the unit of what it says: `4.5 ms`. When the view is so far from the origin that this does not tell
 * one mark from the next, what labels have in common is said once, as the anchor, and where it changes; the marks between
 * count from there, in the unit of the step.
 */

import {
  floorDiv,
  formatExactDuration,
  formatUtc,
  groupDigits,
  PS_PER_S,
  type TickRange,
  type Ticks,
  type TimeBase,
  type TimeFormat,
  ticks,
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
  /** True for the mark that the labels after it count from. */
  readonly isAnchor: boolean;
}

export interface TimeAxis {
  readonly stepTicks: Ticks;
  /** Text of the mark that the others count from, or "" when their labels are complete. */
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
  const zeroTicks = format === "ticks" ? 0n : floorDiv(zeroPsOf(base, format), tickPs);
  const labels = labeller(range, stepTicks, base, format);
  const marks: AxisMark[] = [];
  let time = floorDiv(range.startTicks + zeroTicks + stepTicks - 1n, stepTicks) * stepTicks - zeroTicks;
  for (; time <= range.endTicks; time += stepTicks) {
    const xPx = xOfTick(view, time);
    if (xPx >= 0 && xPx <= view.widthPx) {
      marks.push({ timeTicks: ticks(time), xPx, ...labels.label(time) });
    }
  }
  return { stepTicks: ticks(stepTicks), anchor: labels.anchor, marks };
}

/** Time that the labels of a format show at tick 0. */
function zeroPsOf(base: TimeBase, format: TimeFormat): bigint {
  return format === "utc" ? utcPs(0n, base) : -(base.zeroTicks ?? 0n) * BigInt(base.tickPs);
}

interface Labeller {
  readonly anchor: string;
  label(time: bigint): Pick<AxisMark, "label" | "isAnchor">;
}

function labeller({ startTicks, endTicks }: TickRange, step: bigint, base: TimeBase, format: TimeFormat): Labeller {
  const tickPs = BigInt(base.tickPs);
  const complete = (text: (ps: bigint) => string, anchor = ""): Labeller => ({
    anchor,
    label: (time) => ({ label: text(time * tickPs), isAnchor: false }),
  });
  if (format === "ticks") {
    return complete((ps) => groupDigits((ps / tickPs).toString()));
  }
  const zeroPs = zeroPsOf(base, format);
  const stepPs = step * tickPs;
  if (stepPs >= PS_PER_S) {
    return format === "utc"
      ? complete((ps) => formatUtc(zeroPs + ps, 0).slice(11), formatUtc(zeroPs + startTicks * tickPs, 0).slice(0, 10))
      : complete((ps) => clockLabel(zeroPs + ps));
  }
  const unit = UNITS.findLast((candidate) => candidate.ps <= stepPs) ?? UNITS[0]!;
  if (
    format === "relative" &&
    largest(zeroPs + startTicks * tickPs, zeroPs + endTicks * tickPs) < completeBelow(unit.ps)
  ) {
    return complete((ps) => shortLabel(zeroPs + ps, unit.name));
  }
  const anchorText = format === "utc" ? utcAnchor : exactClock;
  const groupPs = 1000n * unit.ps;
  const groupOf = (ps: bigint): bigint => floorDiv(ps, groupPs) * groupPs;
  return {
    anchor: anchorText(groupOf(zeroPs + startTicks * tickPs)),
    label: (time) => {
      const ps = zeroPs + time * tickPs;
      const group = groupOf(ps);
      return ps === group
        ? { label: anchorText(group), isAnchor: true }
        : { label: `+${(ps - group) / unit.ps} ${unit.name}`, isAnchor: false };
    },
  };
}

function largest(a: bigint, b: bigint): bigint {
  const [first, second] = [a < 0n ? -a : a, b < 0n ? -b : b];
  return first > second ? first : second;
}

/** Below this time three decimals of the next larger unit are enough to tell marks of a unit apart. */
function completeBelow(unitPs: bigint): bigint {
  const largerPs = 1000n * unitPs;
  return largerPs >= PS_PER_S ? PS_PER_MIN : 1000n * largerPs;
}

/** `900 ns`, `1.1 µs`; nothing of the unit that is given. */
function shortLabel(ps: bigint, unitName: string): string {
  return ps === 0n ? `0 ${unitName}` : formatExactDuration(ps, 1);
}

/** `43.021 s`, `1 min 43.021 s`, `2 h 5 min`. */
function exactClock(ps: bigint): string {
  const rest = ps % PS_PER_MIN;
  if (ps < PS_PER_MIN) {
    return formatExactDuration(ps, 1);
  }
  const minutes = clockLabel(ps - rest);
  return rest === 0n ? minutes : `${minutes} ${formatExactDuration(rest, 1)}`;
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
