/** Places that a person types: a time, a step, an event. Pure. */

import { type Ticks, type TimeBase, ticks, UNITS } from "@tilescope/client";
import { hasWallClock } from "./time-format";

export type TypedPlace =
  | { readonly kind: "time"; readonly atTicks: Ticks }
  | { readonly kind: "step"; readonly step: string }
  | { readonly kind: "event"; readonly track: number; readonly ordinal: number };

/** Examples, as the page shows them. */
export const PLACE_EXAMPLES: readonly (readonly [string, string])[] = [
  ["450 ms", "goes to a time since the start"],
  ["12:03:04.5", "goes to a time of day (UTC); without a clock, since the start"],
  ["step 7", "goes to a step"],
  ["#12.345", "goes to an event, by its track and its number there"],
];

const PS_PER_S = 1_000_000_000_000n;
const PS_PER_DAY = 86_400n * PS_PER_S;
const MORE_UNITS: Readonly<Record<string, bigint>> = {
  us: 1_000_000n,
  μs: 1_000_000n,
  min: 60n * PS_PER_S,
  h: 3600n * PS_PER_S,
};

/** The place that a text names; null where it names none, as most searches. */
export function typedPlace(text: string, base: TimeBase): TypedPlace | null {
  const typed = text.trim();
  const event = /^#(\d{1,9})\.(\d{1,15})$/.exec(typed);
  if (event !== null) {
    return { kind: "event", track: Number(event[1]), ordinal: Number(event[2]) };
  }
  const step = /^step\s*#?\s*(\d{1,18})$/i.exec(typed);
  if (step !== null) {
    return { kind: "step", step: BigInt(step[1]!).toString() };
  }
  const ps = durationPs(typed) ?? clockPs(typed, base);
  return ps === null ? null : { kind: "time", atTicks: ticks(ps / BigInt(base.tickPs) + zeroOf(base, typed)) };
}

function zeroOf(base: TimeBase, typed: string): bigint {
  return isClock(typed) && hasWallClock(base) ? 0n : (base.zeroTicks ?? 0n);
}

function isClock(typed: string): boolean {
  return typed.includes(":");
}

/** `450 ms`, `1.5 s`, `1,234,567 ns`: spaces, or commas before three digits, may part them. */
function durationPs(typed: string): bigint | null {
  const plain = typed.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "");
  const match = /^(\d[\d\s]{0,30})(?:\.([\d\s]{1,30}))?\s*([a-zµμ]+)$/.exec(plain);
  if (match === null) {
    return null;
  }
  const unit = UNITS.find(({ name }) => name === match[3])?.ps ?? MORE_UNITS[match[3]!];
  return unit === undefined ? null : scaled(match[1]!, match[2] ?? "", unit);
}

/** `12:03:04.5`, `12:03`: on the day on which the run starts, or the day after where that is before its start. */
function clockPs(typed: string, base: TimeBase): bigint | null {
  const match = /^(\d{1,3}):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,12}))?)?$/.exec(typed);
  if (match === null) {
    return null;
  }
  const [, hours, minutes, seconds = "0", fraction = ""] = match;
  const ps = (BigInt(hours!) * 3600n + BigInt(minutes!) * 60n) * PS_PER_S + scaled(seconds, fraction, PS_PER_S);
  if (!hasWallClock(base)) {
    return ps;
  }
  if (ps >= PS_PER_DAY) {
    return null;
  }
  const originPs = base.originNs * 1000n;
  const startPs = originPs + (base.zeroTicks ?? 0n) * BigInt(base.tickPs);
  const sincePs = (((ps - startPs) % PS_PER_DAY) + PS_PER_DAY) % PS_PER_DAY;
  return startPs + sincePs - originPs;
}

function scaled(whole: string, fraction: string, unit: bigint): bigint {
  const digits = fraction.replace(/\s/g, "");
  return (BigInt(whole.replace(/\s/g, "") + digits) * unit) / 10n ** BigInt(digits.length);
}
