/**
 * Alignment of two timelines: the time of the second that stands below or beside a time of the first. Times are picoseconds since
 * the origin of each run, as runs may have different ticks. Pure.
 */

import { ticks, type View } from "@tilescope/client";
import type { EventPlace } from "./location";

export type Alignment =
  /** The starts of the runs. */
  | { readonly kind: "start" }
  /** The starts of a step of each; `stepName`: of the events that steps are, "" for those that a run marks as steps. */
  | { readonly kind: "step"; readonly first: string; readonly second: string; readonly stepName: string }
  /** The starts of an event of each. */
  | { readonly kind: "event"; readonly first: EventPlace; readonly second: EventPlace }
  /** As somebody has moved them: the second is so much later. */
  | { readonly kind: "hand"; readonly offsetPs: bigint }
  /** Each is zoomed by itself. */
  | { readonly kind: "off" };

export const BY_START: Alignment = { kind: "start" };

const STEP = /^step\.(\d{1,18})-(\d{1,18})(?:\.(.{1,500}))?$/;
const EVENT = /^event\.(\d{1,15})\.(\d{1,15})-(\d{1,15})\.(\d{1,15})$/;
const HAND = /^hand\.(-?\d{1,30})$/;

/** `start`, `off`, `step.5-7`, `step.5-7.train`, `event.3.15-4.7`, `hand.-1200`, as an address has it; null for anything else. */
export function parseAlignment(text: string): Alignment | null {
  if (text === "start" || text === "off") {
    return { kind: text };
  }
  const [, first, second, stepName = ""] = STEP.exec(text) ?? [];
  if (first !== undefined) {
    return { kind: "step", first, second: second!, stepName };
  }
  const places = EVENT.exec(text)?.slice(1).map(Number);
  if (places !== undefined) {
    const [track, ordinal, otherTrack, otherOrdinal] = places as [number, number, number, number];
    return { kind: "event", first: { track, ordinal }, second: { track: otherTrack, ordinal: otherOrdinal } };
  }
  const [, offset] = HAND.exec(text) ?? [];
  return offset === undefined ? null : { kind: "hand", offsetPs: BigInt(offset) };
}

/** As `parseAlignment` reads it. */
export function formatAlignment(alignment: Alignment): string {
  switch (alignment.kind) {
    case "start":
    case "off":
      return alignment.kind;
    case "step":
      return `step.${alignment.first}-${alignment.second}${alignment.stepName === "" ? "" : `.${alignment.stepName}`}`;
    case "event": {
      const { first, second } = alignment;
      return `event.${first.track}.${first.ordinal}-${second.track}.${second.ordinal}`;
    }
    case "hand":
      return `hand.${alignment.offsetPs}`;
  }
}

/** Quotient rounded down, also of negative numbers. */
function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return quotient * divisor > dividend ? quotient - 1n : quotient;
}

/** View of another run, of the same scale, that begins `offsetPs` later than a view; ticks are of `fromPs` and `toPs`. */
export function alignedView(view: View, fromPs: number, toPs: number, offsetPs: bigint, widthPx: number): View {
  const startPs = view.startTicks * BigInt(fromPs) + offsetPs;
  const wholeTicks = floorDivide(startPs, BigInt(toPs));
  // One where ticks are equal: what is multiplied and divided by them would differ in its last digit.
  const ratio = fromPs / toPs;
  // Less than a tick of each run: no time of a trace passes through a float.
  const restTicks = Number(startPs - wholeTicks * BigInt(toPs)) / toPs + view.startFraction * ratio;
  const carry = Math.floor(restTicks);
  return {
    startTicks: ticks(wholeTicks + BigInt(carry)),
    startFraction: restTicks - carry,
    ticksPerPx: view.ticksPerPx * ratio,
    widthPx,
  };
}

/** Distance by which a time of the second is later than one of the first. */
export function offsetBetween(firstTicks: bigint, firstPs: number, secondTicks: bigint, secondPs: number): bigint {
  return secondTicks * BigInt(secondPs) - firstTicks * BigInt(firstPs);
}
