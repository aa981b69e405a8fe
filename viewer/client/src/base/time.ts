/**
 * Time: the tick, and how durations and points in time are written.
 *
 * A tick is the run's integer unit, 1 ps or 1 ns, counted from the run's origin. Times stay integers up to the moment
 * they become text, so every digit that is shown is a digit of the trace.
 */

declare const ticksUnit: unique symbol;

/** A time or a duration in ticks of the run. */
export type Ticks = bigint & { readonly [ticksUnit]: true };

/** Length of a tick in a run, and the time of tick 0. */
export interface TimeBase {
  readonly tickPs: number;
  /** Nanoseconds since the epoch at tick 0. */
  readonly originNs: bigint;
  /** Origin of relative times; tick 0 unless given. */
  readonly zeroTicks?: bigint;
}

/** Format of points in time: since the start of the run, in the trace's own ticks, or as wall-clock time. */
export type TimeFormat = "relative" | "ticks" | "utc";

/** Marks an integer as a number of ticks. Throws RangeError for a number that is not an integer. */
export function ticks(value: bigint | number | string): Ticks {
  return BigInt(value) as Ticks;
}

/** A time so much later, or the sum of two durations. */
export function plus(time: Ticks, duration: bigint): Ticks {
  return (time + duration) as Ticks;
}

/** A time so much earlier, or the duration between two times. */
export function minus(time: Ticks, other: bigint): Ticks {
  return (time - other) as Ticks;
}

/** Picoseconds in a nanosecond. */
export const PS_PER_NS = 1000n;
/** Picoseconds in a second. */
export const PS_PER_S = 1_000_000_000_000n;
const PS_PER_MIN = 60n * PS_PER_S;
const PS_PER_H = 60n * PS_PER_MIN;
const PS_PER_DAY = 24n * PS_PER_H;
const PS_PER_YEAR = (1461n * PS_PER_DAY) / 4n;

interface Unit {
  readonly ps: bigint;
  readonly name: string;
}

/** Decimal units, smallest first; each is 1000 times the one before. */
export const UNITS: readonly Unit[] = [
  { ps: 1n, name: "ps" },
  { ps: 1000n, name: "ns" },
  { ps: 1_000_000n, name: "µs" },
  { ps: 1_000_000_000n, name: "ms" },
  { ps: PS_PER_S, name: "s" },
];

/** Between groups behind the point, where no comma may stand. */
const GROUP_SPACE = "\u202f";

/**
 * A duration in at most four significant digits, for reading at a glance.
 *
 * With 1 ps ticks: 0 → `0 s`, 950 → `950 ps`, 1234 → `1.234 ns`, 12345678 → `12.35 µs`, 2000000 → `2 µs`,
 * 90 s → `1 min 30 s`, 3 h 5 min → `3 h 5 min`, 50 h → `2 d 2 h`, 400 d → `1.1 years`, -1500 → `-1.5 ns`.
 */
export function formatDuration(duration: bigint, tickPs: number): string {
  const ps = duration * BigInt(tickPs);
  if (ps < 0n) {
    return `-${formatDuration(-duration, tickPs)}`;
  }
  if (ps === 0n) {
    return "0 s";
  }
  if (ps >= PS_PER_MIN) {
    return formatClock(ps);
  }
  let index = UNITS.length - 1;
  while (ps < UNITS[index]!.ps) {
    index -= 1;
  }
  const whole = ps / UNITS[index]!.ps;
  const decimals = index === 0 ? 0 : 4 - whole.toString().length;
  const step = 10n ** BigInt(Math.max(0, decimals));
  const scaled = (ps * step + UNITS[index]!.ps / 2n) / UNITS[index]!.ps;
  if (scaled >= 1000n * step && index < UNITS.length - 1) {
    return `1 ${UNITS[index + 1]!.name}`;
  }
  return `${decimalText(scaled, decimals)} ${UNITS[index]!.name}`;
}

/**
 * A duration with all its digits, in the largest unit that is not longer than it.
 *
 * With 1 ps ticks: 1234 → `1.234 ns`, 12345678 → `12.345 678 µs` (as `groupDigits` parts them).
 */
export function formatExactDuration(duration: bigint, tickPs: number): string {
  const ps = duration * BigInt(tickPs);
  if (ps < 0n) {
    return `-${formatExactDuration(-duration, tickPs)}`;
  }
  if (ps === 0n) {
    return "0 s";
  }
  let index = UNITS.length - 1;
  while (ps < UNITS[index]!.ps) {
    index -= 1;
  }
  return `${groupDigits(decimalText(ps, 3 * index))} ${UNITS[index]!.name}`;
}

/**
 * A point in time.
 *
 * `relative`: exact, since the base's zero (`1.234 567 s`). `ticks`: the integer of the trace with grouped digits
 * (`1,234,567`). `utc`: wall-clock time with the digits that a tick resolves
 * (`2026-01-31 10:00:00.123 456 789`).
 */
export function formatTime(time: bigint, base: TimeBase, format: TimeFormat): string {
  switch (format) {
    case "relative":
      return formatExactDuration(time - (base.zeroTicks ?? 0n), base.tickPs);
    case "ticks":
      return groupDigits(time.toString());
    case "utc":
      return formatUtc(utcPs(time, base), base.tickPs === 1 ? 12 : 9);
  }
}

/** Picoseconds since the epoch of a point in time. */
export function utcPs(time: bigint, base: TimeBase): bigint {
  return base.originNs * PS_PER_NS + time * BigInt(base.tickPs);
}

/** Picoseconds since the epoch as date and time of day with `decimals` digits (0 to 12) after the second. */
export function formatUtc(ps: bigint, decimals: number): string {
  const seconds = floorDiv(ps, PS_PER_S);
  const rest = ps - seconds * PS_PER_S;
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace("T", " ");
  if (decimals === 0) {
    return text;
  }
  const fraction = rest.toString().padStart(12, "0").slice(0, decimals);
  return `${text}.${fraction.replace(/(\d{3})(?=\d)/g, `$1${GROUP_SPACE}`)}`;
}

/** Division that rounds towards minus infinity; the divisor is positive. */
export function floorDiv(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient;
}

/** Whole seconds and more: `1 min 30 s`, `3 h 5 min`, `45 s`; below an hour to the tenth of a second. */
function formatClock(ps: bigint): string {
  if (ps >= PS_PER_YEAR) {
    return `${decimalText((10n * ps + PS_PER_YEAR / 2n) / PS_PER_YEAR, 1)} years`;
  }
  if (ps >= 2n * PS_PER_DAY) {
    const hours = (ps + PS_PER_H / 2n) / PS_PER_H;
    return joinParts([`${hours / 24n} d`, hours % 24n === 0n ? "" : `${hours % 24n} h`]);
  }
  if (ps >= PS_PER_H) {
    const minutes = (ps + PS_PER_MIN / 2n) / PS_PER_MIN;
    return joinParts([`${minutes / 60n} h`, minutes % 60n === 0n ? "" : `${minutes % 60n} min`]);
  }
  const tenths = (ps + PS_PER_S / 20n) / (PS_PER_S / 10n);
  const seconds = tenths % 600n;
  return joinParts([`${tenths / 600n} min`, seconds === 0n ? "" : `${decimalText(seconds, 1)} s`]);
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

/** `scaled / 10**decimals` without trailing zeros after the point. */
function decimalText(scaled: bigint, decimals: number): string {
  if (decimals <= 0) {
    return scaled.toString();
  }
  const digits = scaled.toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  const whole = digits.slice(0, -decimals);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Digits in groups of three: parted by commas before the point, as in sentences of the server, and behind it by narrow no-break spaces. */
export function groupDigits(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction.replace(/(\d{3})(?=\d)/g, `$1${GROUP_SPACE}`)}`;
}
