/** Memory in use in parts of what is on the screen, and their positions. Pure. */

import { type TickRange, type ToolAnswer, ticks, type View, xOfTick } from "@tilescope/client";

/** Parts of a span of equal length; bytes, null where it is not known yet. Each ends where the next one begins. */
export interface MemoryBins {
  readonly memory: string;
  readonly host: string;
  /** The names that the question takes. */
  readonly names: readonly string[];
  readonly range: TickRange;
  readonly starts: readonly bigint[];
  readonly least: readonly (bigint | null)[];
  readonly greatest: readonly (bigint | null)[];
  /** Maximum of all parts; 0: nothing is known. */
  readonly top: bigint;
}

export function memoryBins(answer: ToolAnswer, range: TickRange): MemoryBins | null {
  const series = answer.series.find(({ id }) => id === "bins");
  const fact = answer.facts.find(({ id }) => id === "memory");
  const table = answer.tables.find(({ id }) => id === "memories");
  if (table === undefined) {
    return null;
  }
  const values = (id: string) => table.columns.find((column) => column.id === id)?.values ?? [];
  const hosts = values("host");
  const several = new Set(hosts).size > 1;
  const numbers = (id: string) =>
    (series?.ys.find((column) => column.id === id)?.values ?? []).map((value) =>
      value === null ? null : BigInt(value as string),
    );
  const greatest = numbers("greatest");
  const host = fact?.note.replace(/^of /, "") ?? "";
  return {
    memory: several ? `${host} · ${fact?.value}` : String(fact?.value ?? ""),
    host,
    names: values("memory").map((name, row) => (several ? `${hosts[row]} · ${name}` : String(name))),
    range,
    starts: (series?.x.values ?? []).map((value) => BigInt(value as string)),
    least: numbers("least"),
    greatest,
    top: greatest.reduce<bigint>((most, value) => (value !== null && value > most ? value : most), 0n),
  };
}

/** The part at a tick; -1: none. */
export function binAt({ starts, range }: MemoryBins, tick: bigint): number {
  if (starts.length === 0 || tick < starts[0]! || tick >= range.endTicks) {
    return -1;
  }
  let [from, to] = [0, starts.length - 1];
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if (starts[middle]! <= tick) {
      from = middle;
    } else {
      to = middle - 1;
    }
  }
  return from;
}

/** The fullest part within some of another; the nearest of these. */
export function fullestNear(bins: MemoryBins, bin: number, within: number): number {
  let highest = bin;
  for (let away = 1; away <= within; away++) {
    for (const other of [bin - away, bin + away]) {
      if ((bins.greatest[other] ?? -1n) > (bins.greatest[highest] ?? -1n)) {
        highest = other;
      }
    }
  }
  return highest;
}

/** The ticks of a part. */
export function rangeOf({ starts, range }: MemoryBins, bin: number): TickRange {
  return { startTicks: ticks(starts[bin]!), endTicks: ticks(starts[bin + 1] ?? range.endTicks) };
}

/** Columns of pixels of the screen: from the least to the greatest, as parts of the top; NaN where nothing is known. */
export interface MemoryColumns {
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

/**
 * Memory in use in each column of a view, which may have moved on since the parts were asked for. A column has all parts that touch it:
 * none is hidden by another.
 */
export function columnsOf(bins: MemoryBins, view: View, ratio: number): MemoryColumns {
  const width = Math.max(1, Math.round(view.widthPx * ratio));
  const [least, greatest] = [new Float64Array(width).fill(Number.NaN), new Float64Array(width).fill(Number.NaN)];
  const top = Number(bins.top) || 1;
  bins.starts.forEach((start, bin) => {
    const [low, high] = [bins.least[bin] ?? null, bins.greatest[bin] ?? null];
    const x = xOfTick(view, start) * ratio;
    const endX = xOfTick(view, bins.starts[bin + 1] ?? bins.range.endTicks) * ratio;
    if (low === null || high === null || endX < 0 || x > width) {
      return;
    }
    const first = Math.max(0, Math.floor(x + ROUNDING));
    const end = Math.min(width, Math.max(first + 1, Math.ceil(endX - ROUNDING)));
    for (let index = first; index < end; index++) {
      least[index] = Math.min(Number.isNaN(least[index]!) ? 1 : least[index]!, Number(low) / top);
      greatest[index] = Math.max(Number.isNaN(greatest[index]!) ? 0 : greatest[index]!, Number(high) / top);
    }
  });
  return { least, greatest };
}

/** Tolerance in pixels: borders of parts are whole ticks, and seldom whole pixels. */
const ROUNDING = 0.01;

/** The part of a view that the run has: what is asked about. Null: nothing of the run is on the screen. */
export function askedRange(seen: TickRange, run: TickRange): TickRange | null {
  const startTicks = seen.startTicks > run.startTicks ? seen.startTicks : run.startTicks;
  const endTicks = seen.endTicks < run.endTicks ? seen.endTicks : run.endTicks;
  return endTicks > startTicks ? { startTicks, endTicks } : null;
}
