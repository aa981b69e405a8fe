/**
 * Figures of answers as people read them. A column is shown in one unit, which its largest value chooses, so that its
 * cells can be compared by their digits; the exact value is said beside. What was not recorded is a dash, never 0.
 */

import {
  type FigureKind,
  formatDuration,
  formatExactDuration,
  groupDigits,
  type TimeBase,
  UNITS,
} from "@tilescope/client";
import { percentDigits } from "../components/percent";

/** A value as JSON has it: exact integers are decimal text, null was not recorded. */
export type Figure = string | number | boolean | null;

/** Format of the values of a column: digits without the unit, which stands in the header. */
export interface Scale {
  readonly unit: string;
  text(value: Figure): string;
  /** All digits in this unit, ungrouped, for other programs; empty where none was recorded. */
  exact(value: Figure): string;
}

export const NOT_RECORDED = "–";

const INTEGERS: ReadonlySet<FigureKind> = new Set<FigureKind>(["count", "ticks", "ps", "time", "bytes", "flops"]);
const NUMBERS: ReadonlySet<FigureKind> = new Set<FigureKind>([...INTEGERS, "fraction", "rate", "number", "id"]);

/** True if values are exact integers, decimal text in JSON. */
export function isInteger(kind: FigureKind): boolean {
  return INTEGERS.has(kind);
}

/** True if values stand on the right, digit below digit. */
export function isNumeric(kind: FigureKind): boolean {
  return NUMBERS.has(kind);
}

/** True if a figure was recorded. */
export function isRecorded(value: Figure): boolean {
  return value !== null && !(typeof value === "number" && Number.isNaN(value));
}

/** The value as a double; NaN for text and for what was not recorded. For drawing and comparing sizes, not for reading. */
export function approximate(kind: FigureKind, value: Figure): number {
  return value === null || !isNumeric(kind) ? Number.NaN : Number(value);
}

/** Kind of a column, and the unit that its tool names. */
interface Measured {
  readonly kind: FigureKind;
  readonly unit: string;
}

/** One unit for all of these values (as doubles), chosen by the largest of them. */
export function scaleOf({ kind, unit }: Measured, values: ArrayLike<number>, time: TimeBase): Scale {
  switch (kind) {
    case "ticks":
      return timeScale(values, time, DURATION_DECIMALS);
    case "ps":
      return timeScale(values, PICOSECONDS, DURATION_DECIMALS);
    case "time":
      return timeScale(values, time, POINT_DECIMALS);
    case "fraction":
      return percentScale(values, unit);
    case "count":
    case "id":
      return { unit, text: (value) => plain(value, (exact) => groupDigits(String(exact))), exact: raw };
    case "bytes":
      return siScale(values, "B");
    case "flops":
      return siScale(values, "FLOP");
    case "rate":
    case "number":
      return PREFIXED.has(unit) ? siScale(values, unit) : decimalScale(values, 1, unit);
    case "flag":
      return { unit, text: (value) => plain(value, (flag) => (flag ? "yes" : "no")), exact: raw };
    default:
      return { unit, text: (value) => plain(value, String), exact: raw };
  }
}

/** A figure by itself, with its unit: 12345 ticks of a nanosecond → `12.35`, `µs`. */
export function figureText(
  column: Measured,
  value: Figure,
  time: TimeBase,
): { readonly digits: string; readonly unit: string } {
  if (!isRecorded(value)) {
    return { digits: NOT_RECORDED, unit: "" };
  }
  if ((column.kind === "ticks" || column.kind === "ps" || column.kind === "time") && typeof value === "string") {
    const text = formatDuration(BigInt(value), column.kind === "ps" ? 1 : time.tickPs);
    const parts = text.split(" ");
    return parts.length === 2 ? { digits: parts[0]!, unit: parts[1]! } : { digits: text, unit: "" };
  }
  const scale = scaleOf(column, [approximate(column.kind, value)], time);
  const digits = scale.text(value);
  return { digits, unit: digits === "1" ? (SINGULARS[scale.unit] ?? scale.unit) : scale.unit };
}

/** A figure with all its digits: `12.345 µs · 12,345 ticks`. */
export function exactText({ kind, unit }: Measured, value: Figure, time: TimeBase): string {
  if (!isRecorded(value)) {
    return "not recorded";
  }
  if (kind === "ticks" || kind === "time") {
    const ticks = BigInt(String(value));
    return `${formatExactDuration(ticks, time.tickPs)} · ${groupDigits(ticks.toString())} ticks`;
  }
  if (kind === "ps") {
    return formatExactDuration(BigInt(String(value)), 1);
  }
  const text = typeof value === "string" && isInteger(kind) ? groupDigits(value) : String(value);
  const units: Partial<Record<FigureKind, string>> = { bytes: "B", flops: "FLOP" };
  const suffix = units[kind] ?? unit;
  if (kind === "flag") {
    return value === true ? "yes" : "no";
  }
  return suffix === "" ? text : `${text} ${text === "1" ? (SINGULARS[suffix] ?? suffix) : suffix}`;
}

/** Units that are nouns, for one of them. */
const SINGULARS: Readonly<Record<string, string>> = { times: "time" };

/** Durations of kind `ps`, of runs whose ticks may differ. */
const PICOSECONDS: TimeBase = { tickPs: 1, originNs: 0n };
/** Digits after the point: a thousandth of a unit is the next smaller one. */
const DURATION_DECIMALS = 3;
/** Digits after the point of points in time: their last digits tell them from one another. */
const POINT_DECIMALS = 6;

/** Units that take prefixes: `B/s` → `GB/s`. Others are left as the tool names them. */
const PREFIXED: ReadonlySet<string> = new Set(["", "1/s", "B", "B/s", "FLOP", "FLOP/s", "W", "J", "Hz"]);
const PREFIXES: readonly string[] = ["", "k", "M", "G", "T", "P", "E", "Z", "Y"];

function plain(value: Figure, write: (value: Exclude<Figure, null>) => string): string {
  return value === null || !isRecorded(value) ? NOT_RECORDED : write(value);
}

function largest(values: ArrayLike<number>): number {
  let maximum = 0;
  for (let k = 0; k < values.length; k++) {
    const size = Math.abs(values[k]!);
    if (size > maximum && size < Number.POSITIVE_INFINITY) {
      maximum = size;
    }
  }
  return maximum;
}

function timeScale(values: ArrayLike<number>, { tickPs }: TimeBase, mostDecimals: number): Scale {
  const most = largest(values) * tickPs;
  const index = Math.max(
    0,
    UNITS.findLastIndex((unit) => Number(unit.ps) <= most),
  );
  const { ps: unitPs, name } = UNITS[most === 0 ? UNITS.length - 1 : index]!;
  const limit = Math.min(mostDecimals, unitPs.toString().length - 1);
  const decimals = neededDecimals(values, Number(unitPs) / tickPs, limit);
  return {
    unit: name,
    text: (value) => plain(value, (exact) => fixedDuration(BigInt(exact), tickPs, unitPs, decimals)),
    exact: (value) => (value !== null && isRecorded(value) ? decimalText(BigInt(value) * BigInt(tickPs), unitPs) : ""),
  };
}

/** Ticks in a unit, with so many digits after the point. */
export function fixedDuration(ticks: bigint, tickPs: number, unitPs: bigint, decimals: number): string {
  const ps = ticks * BigInt(tickPs);
  const size = ps < 0n ? -ps : ps;
  const scaled = (size * 10n ** BigInt(decimals) + unitPs / 2n) / unitPs;
  return fixed(scaled, decimals, ps < 0n, size > 0n);
}

/** The least number of digits after the point with which nothing is lost; no more than `limit`. */
function neededDecimals(values: ArrayLike<number>, size: number, limit: number): number {
  let decimals = 0;
  for (let k = 0; k < values.length && decimals < limit; k++) {
    while (decimals < limit && !isWhole((values[k]! / size) * 10 ** decimals)) {
      decimals += 1;
    }
  }
  return decimals;
}

/** True if a number is whole but for what doubles cannot express. */
function isWhole(value: number): boolean {
  return !Number.isFinite(value) || Math.abs(value - Math.round(value)) <= 1e-9 + 4 * Number.EPSILON * Math.abs(value);
}

/** `scaled / 10**decimals`, grouped. A value that its digits do not show is said to be less than the least that they do. */
function fixed(scaled: bigint, decimals: number, isNegative: boolean, isThere: boolean): string {
  const sign = isNegative ? "-" : "";
  if (scaled === 0n && isThere) {
    return decimals === 0 ? `${sign}<1` : `${sign}<0.${"1".padStart(decimals, "0")}`;
  }
  const digits = scaled.toString().padStart(decimals + 1, "0");
  const whole = groupDigits(digits.slice(0, digits.length - decimals));
  return decimals === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-decimals)}`;
}

function percentScale(values: ArrayLike<number>, unit: string): Scale {
  const most = largest(values);
  const decimals = most >= 0.1 || most === 0 ? 1 : most >= 0.01 ? 2 : 3;
  const name = unit === "" ? "%" : `% ${unit}`;
  return {
    unit: name,
    text: (value) => plain(value, (part) => percentNumber(Number(part), decimals)),
    exact: (value) => (isRecorded(value) ? shortNumber(100 * Number(value)) : ""),
  };
}

/** A share in percent: one of a whole is neither nothing nor all unless it is. */
export function percentNumber(part: number, decimals: number): string {
  return part >= 0 && part <= 1 ? percentDigits(part, decimals) : fixedNumber(100 * part, decimals);
}

function siScale(values: ArrayLike<number>, unit: string): Scale {
  const most = largest(values);
  const power = most < 1000 ? 0 : Math.min(PREFIXES.length - 1, Math.floor(Math.log10(most * (1 + 1e-12)) / 3));
  const prefix = PREFIXES[power]!;
  const name = prefix !== "" && unit === "1/s" ? `${prefix}/s` : prefix + unit;
  return decimalScale(values, 1000 ** power, name);
}

/** Values as they are; those that were not recorded are empty. */
function raw(value: Figure): string {
  return isRecorded(value) ? String(value) : "";
}

/** `value / size` with all its digits; the size is a power of ten. */
function decimalText(value: bigint, size: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(size.toString().length, "0");
  const decimals = size.toString().length - 1;
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${whole}${part === "" ? "" : `.${part}`}`;
}

/** A double without the noise of a multiplication: 100 * 0.07 → `7`. */
function shortNumber(value: number): string {
  return String(Number(value.toPrecision(15)));
}

/** Four digits of the largest value, fewer where all values are whole. */
function decimalScale(values: ArrayLike<number>, size: number, unit: string): Scale {
  const most = largest(values) / size;
  const limit = most === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(most)));
  // Integers come as text.
  const exact = (value: Figure) =>
    typeof value === "string" && size > 1
      ? decimalText(BigInt(value), 10n ** BigInt(Math.round(Math.log10(size))))
      : size > 1 && isRecorded(value)
        ? shortNumber(Number(value) / size)
        : raw(value);
  if (limit > 12) {
    return { unit, text: (value) => plain(value, (number) => (Number(number) / size).toExponential(3)), exact };
  }
  const decimals = neededDecimals(values, size, limit);
  return { unit, text: (value) => plain(value, (number) => fixedNumber(Number(number) / size, decimals)), exact };
}

/** A number with so many digits after the point. */
export function fixedNumber(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  if (!Number.isFinite(value) || text.includes("e")) {
    return String(value);
  }
  const scaled = BigInt(text.replace(/[-.]/g, ""));
  return fixed(scaled, decimals, value < 0, value !== 0);
}
