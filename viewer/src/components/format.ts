/** Numbers as people read them, each with examples: input → output. */

import { BUSY_LIMIT, groupDigits } from "@tilescope/client";
import type { EventCount } from "../state/draw-status";
import { percentDigits } from "./percent";

/** 999 → `999`, 12345 → `12,345`, as sentences of the server have it. */
export function formatCount(count: bigint | number): string {
  return groupDigits(count.toString());
}

/** 999 → `999`, 12345 → `12.3 k`, 1234567 → `1.23 M`; for places where exact digits do not fit. */
export function formatShortCount(count: bigint | number): string {
  const value = Number(count);
  for (const [unit, size] of [
    ["G", 1e9],
    ["M", 1e6],
    ["k", 1e3],
  ] as const) {
    if (value >= size * 0.9995) {
      return `${Number((value / size).toPrecision(3))}\u202f${unit}`;
    }
  }
  return value.toString();
}

/** 512 → `512 B`, 1234567 → `1.2 MB` (powers of 1000). */
export function formatBytes(bytes: bigint): string {
  const value = Number(bytes);
  for (const [unit, size] of [
    ["GB", 1e9],
    ["MB", 1e6],
    ["kB", 1e3],
  ] as const) {
    if (value >= size) {
      return `${(value / size).toFixed(value < 10 * size ? 1 : 0)}\u202f${unit}`;
    }
  }
  return `${value}\u202fB`;
}

/** 1769853600000000000 → `2026-01-31 10:00` in the person's own time zone. */
export function formatDate(epochNs: bigint): string {
  const date = new Date(Number(epochNs / 1_000_000n));
  const two = (value: number) => value.toString().padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** 0.4137 → `41 %`, 0.004 → `0.4 %`, 0.00001 → `<0.1 %`, 0.999 → `>99 %`. */
export function formatPercent(part: number): string {
  return `${percentDigits(part, part >= 0.1 || part === 0 ? 0 : 1).replace(/\.0$/, "")}\u202f%`;
}

/** 1 → `1 event`, 2 → `2 events`. */
export function plural(count: bigint | number, word: string): string {
  return `${formatCount(count)} ${word}${count.toString() === "1" ? "" : "s"}`;
}

/** `read` → `Reading`; as the progress of indexing names its phases. */
export function phaseText(phase: string): string {
  const texts: Readonly<Record<string, string>> = {
    queued: "Waiting",
    start: "Starting",
    wait: "Waiting for another process",
    read: "Reading",
    build: "Building",
    publish: "Finishing",
  };
  return texts[phase] ?? phase;
}

/** 0.4 → `a moment left`, 12.3 → `about 12 s left`, 130 → `about 2 min left`. */
export function formatSecondsLeft(seconds: number): string {
  if (seconds < 1) {
    return "a moment left";
  }
  if (seconds < 90) {
    return `about ${Math.round(seconds)}\u202fs left`;
  }
  return `about ${Math.round(seconds / 60)}\u202fmin left`;
}

/** Sums of rollups that do not fit in 64 bits are cut: what is said of them holds at least. */
export function isCut(busyTicks: bigint): boolean {
  return busyTicks >= BUSY_LIMIT;
}

/** Prefix of a sum that may be cut. */
export function atLeast(busyTicks: bigint): string {
  return isCut(busyTicks) ? "at least " : "";
}

/** The part of a bin's time (over `lanes` rows) that is busy, 0 to 1. */
export function busyPart(busyTicks: bigint, widthTicks: bigint, lanes: number): number {
  return Number(busyTicks) / (Number(widthTicks) * lanes);
}

/**
 * `12 events start on the screen · 3 reach in`; `10 to 12 events start on the screen` where bins with two of them lie across
 * the edges of what is shown.
 */
export function eventsInView({ starts, atEdges, reachIn, isExact }: EventCount): string {
  const least = atEdges === 0 ? "" : `${formatCount(starts - atEdges)} to `;
  const parts = [`${least}${plural(starts, "event")} start${starts === 1 ? "s" : ""} on the screen`];
  if (reachIn > 0) {
    parts.push(`${isExact ? "" : "at least "}${formatCount(reachIn)} reach${reachIn === 1 ? "es" : ""} in`);
  }
  return parts.join(" · ");
}

/** The title of a bin: 0 → `No event starts in this bin`, 12 → `12 events start in this bin`. It may be busy all the same. */
export function binTitle(count: number): string {
  return count === 0
    ? "No event starts in this bin"
    : `${plural(count, "event")} start${count === 1 ? "s" : ""} in this bin`;
}
