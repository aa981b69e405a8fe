/** Figures of facts that are read beside each other: those of one kind and unit have as many digits after the point. Pure. */

import type { TimeBase, ToolFact } from "@tilescope/client";
import { approximate, type Figure, figureText, isRecorded } from "./figures";

export interface FactFigure {
  readonly digits: string;
  readonly unit: string;
}

/** Durations and shares: 125.0 ms beside 2.4 ms, 27.7 % beside 3.4 %. */
const ALIKE: ReadonlySet<ToolFact["kind"]> = new Set<ToolFact["kind"]>(["ticks", "fraction"]);

/** Digits of one number, with a sign and gaps: not those of "6 min 3.7 s". */
const PLAIN = /^[-<]*[\d.\u202f]+$/;

/** Figures with more digits after the point than this say no more. */
const MOST_DECIMALS = 3;

/** The figures of facts, in their order. */
export function factFigures(facts: readonly ToolFact[], time: TimeBase): readonly FactFigure[] {
  const alone = facts.map(({ kind, value }) => figureText({ kind, unit: "" }, value, time));
  const decimals = new Map<string, number>();
  const isAlike = ({ kind, value }: ToolFact, k: number): boolean =>
    ALIKE.has(kind) && isRecorded(value) && approximate(kind, value) !== 0 && PLAIN.test(alone[k]!.digits);
  facts.forEach((fact, k) => {
    const { kind } = fact;
    if (!isAlike(fact, k)) {
      return;
    }
    const key = `${kind} ${alone[k]!.unit}`;
    const own = decimalsFor(kind, numberOf(alone[k]!.digits));
    decimals.set(key, Math.min(own, decimals.get(key) ?? MOST_DECIMALS));
  });
  return facts.map((fact, k) => {
    const { kind, value } = fact;
    const count = decimals.get(`${kind} ${alone[k]!.unit}`);
    return count === undefined || !isAlike(fact, k)
      ? alone[k]!
      : { digits: rounded(kind, value, alone[k]!, count), unit: alone[k]!.unit };
  });
}

/** As many as make four digits of a duration, three of a share; one at least, so that tenths are compared. */
function decimalsFor(kind: ToolFact["kind"], size: number): number {
  const shown = kind === "ticks" ? 3 : 2;
  const whole = size < 1 && kind === "fraction" ? -1 : Math.floor(Math.log10(Math.max(1, size)));
  return Math.max(1, Math.min(MOST_DECIMALS, shown - whole));
}

function numberOf(digits: string): number {
  return Math.abs(Number(digits.replace(/[^\d.-]/g, "")));
}

/** Rounded to some digits after the point; what they do not show is less than the least that they do. */
function rounded(kind: ToolFact["kind"], value: Figure, { digits }: FactFigure, decimals: number): string {
  const number = kind === "fraction" ? 100 * Number(value) : Number(digits.replace(/[^\d.-]/g, ""));
  if (!Number.isFinite(number) || Math.abs(number) >= 1000) {
    return digits;
  }
  const text = number.toFixed(decimals);
  return Number(text) === 0 ? `${number < 0 ? "-" : ""}<${(10 ** -decimals).toFixed(decimals)}` : text;
}
