/** Figures of facts that are read beside each other: those of one kind and unit have as many digits after the point. Pure. */

import { type TimeBase, type ToolFact, UNITS } from "@tilescope/client";
import { approximate, figureText, fixedDuration, isRecorded, percentNumber } from "./figures";

export interface FactFigure {
  readonly digits: string;
  readonly unit: string;
}

/** Figures with more digits after the point than this say no more. */
const MOST_DECIMALS = 3;

/** The figures of facts, in their order. Durations and shares are alike: 125.0 ms beside 2.4 ms, 27.7 % beside 3.4 %. */
export function factFigures(facts: readonly ToolFact[], time: TimeBase): readonly FactFigure[] {
  const alone = facts.map(({ kind, value }) => figureText({ kind, unit: "" }, value, time));
  const roundings = facts.map((fact, k) => roundingOf(fact, alone[k]!.unit, time));
  const decimals = new Map<string, number>();
  roundings.forEach((rounding, k) => {
    if (rounding !== null) {
      const own = decimalsFor(facts[k]!.kind, numberOf(alone[k]!.digits));
      decimals.set(rounding.key, Math.min(own, decimals.get(rounding.key) ?? MOST_DECIMALS));
    }
  });
  return alone.map((figure, k) => {
    const rounding = roundings[k] ?? null;
    return rounding === null ? figure : { ...figure, digits: rounding.digits(decimals.get(rounding.key)!) };
  });
}

/** Rounding of a figure beside others; `key` is that of those which are alike. */
interface Rounding {
  readonly key: string;
  readonly digits: (decimals: number) => string;
}

/** Null: it has no digits to choose: `1 min 30 s`, 0, text, and what was not recorded. */
function roundingOf({ kind, value }: ToolFact, unit: string, { tickPs }: TimeBase): Rounding | null {
  const key = `${kind} ${unit}`;
  const unitPs = UNITS.find(({ name }) => name === unit)?.ps;
  if (!isRecorded(value) || approximate(kind, value) === 0) {
    return null;
  }
  if (kind === "fraction") {
    return { key, digits: (decimals) => percentNumber(Number(value), decimals) };
  }
  return (kind === "ticks" || kind === "ps") && unitPs !== undefined
    ? { key, digits: (decimals) => fixedDuration(BigInt(String(value)), kind === "ps" ? 1 : tickPs, unitPs, decimals) }
    : null;
}

/** As many as make four digits of a duration, three of a share; one at least, so that tenths are compared. */
function decimalsFor(kind: ToolFact["kind"], size: number): number {
  const shown = kind === "ticks" || kind === "ps" ? 3 : 2;
  const whole = size < 1 && kind === "fraction" ? -1 : Math.floor(Math.log10(Math.max(1, size)));
  return Math.max(1, Math.min(MOST_DECIMALS, shown - whole));
}

function numberOf(digits: string): number {
  return Number(digits.replace(/[^\d.]/g, ""));
}
