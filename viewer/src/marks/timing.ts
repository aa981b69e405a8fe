/** The timing tool: what lies between two points in time, and how that is written. */

import { signal } from "@preact/signals";
import { formatDuration, type TickRange, type Ticks, ticks, type View, xOfTick } from "@tilescope/client";
import type { Pane } from "../state/pane";
import { perPane } from "../state/per-pane";

/** The measured range, and the height at which it is shown. */
export interface Measured {
  readonly range: TickRange;
  readonly yPx: number;
}

export const measured = perPane(() => signal<Measured | null>(null));

/** `100-250:80`, as an address has it: the range, and the height in CSS pixels. */
export function measuredText(pane: Pane): string | null {
  const shown = measured(pane).value;
  if (shown === null) {
    return null;
  }
  const { range, yPx } = shown;
  return `${range.startTicks}-${range.endTicks}:${Math.round(yPx)}`;
}

const MEASURED = /^(-?\d{1,19})-(-?\d{1,19}):(-?\d{1,6})$/;

/** A measurement of an address; null where there is none. */
export function parseMeasured(text: string | null): Measured | null {
  const match = MEASURED.exec(text ?? "");
  return match === null ? null : { range: spanOf(ticks(match[1]!), ticks(match[2]!)), yPx: Number(match[3]) };
}

/** From one time to another, whichever comes first. */
export function spanOf(a: Ticks, b: Ticks): TickRange {
  return a < b ? { startTicks: a, endTicks: b } : { startTicks: b, endTicks: a };
}

/** Distance from an end within which a drag moves it. */
const EDGE_PX = 5;

/** The end that stays when one takes hold of the other one at a place of the screen; null: there is no end. */
export function fixedEnd(range: TickRange, view: View, xPx: number): Ticks | null {
  const { startTicks, endTicks } = range;
  const fromStartPx = Math.abs(xOfTick(view, startTicks) - xPx);
  const fromEndPx = Math.abs(xOfTick(view, endTicks) - xPx);
  if (Math.min(fromStartPx, fromEndPx) > EDGE_PX) {
    return null;
  }
  return fromEndPx <= fromStartPx ? startTicks : endTicks;
}

export function isBeside(range: TickRange, view: View, xPx: number): boolean {
  return xPx < xOfTick(view, range.startTicks) - EDGE_PX || xPx > xOfTick(view, range.endTicks) + EDGE_PX;
}

const RATES = [
  ["THz", 1n],
  ["GHz", 1000n],
  ["MHz", 1_000_000n],
  ["kHz", 1_000_000_000n],
  ["Hz", 1_000_000_000_000n],
  ["mHz", 1_000_000_000_000_000n],
] as const;

/** Rate of a duration, in four digits: 1 ms → `1 kHz`, 3 ms → `333.3 Hz`, 2 h → `0.139 mHz`. */
export function formatRate(duration: bigint, tickPs: number): string {
  const ps = duration * BigInt(tickPs);
  const rate = RATES.find(([, unitPs]) => unitPs >= ps) ?? RATES.at(-1)!;
  const [unit, unitPs] = rate;
  // In thousandths of the unit, rounded.
  const scaled = (unitPs * 1000n + ps / 2n) / ps;
  return `${Number((Number(scaled) / 1000).toPrecision(4))} ${unit}`;
}

/** `1.25 ms · 800 Hz`; nothing has no rate. */
export function measureText({ startTicks, endTicks }: TickRange, tickPs: number): string {
  const duration = endTicks - startTicks;
  return duration === 0n ? "0 s" : `${formatDuration(duration, tickPs)} · ${formatRate(duration, tickPs)}`;
}
