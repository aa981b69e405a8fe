/** A derived lane in parts of what is on the screen, and how these lie in columns of pixels. Pure. */

import { type TickRange, type ToolAnswer, ticks, type View, xOfTick } from "@tilescope/client";

/** Bins of a counter by time; null where there is no value. Each ends where the next one begins. */
export interface CounterLane {
  readonly kind: "counter";
  readonly range: TickRange;
  readonly starts: readonly bigint[];
  readonly least: readonly (bigint | null)[];
  readonly greatest: readonly (bigint | null)[];
  /** Maximum of all bins. */
  readonly top: bigint;
}

/** Ticks of a name in a span: all of it in a slice, some in a bin. */
export interface LanePiece {
  readonly startTicks: bigint;
  readonly endTicks: bigint;
  readonly row: number;
  readonly name: number;
  readonly busyTicks: bigint;
}

export interface SliceLane {
  readonly kind: "slices";
  readonly range: TickRange;
  /** In alphabetical order: a name has one place, whatever is in view. */
  readonly names: readonly string[];
  /** Slices, as many as `slices` says, and behind them what bins have. */
  readonly pieces: readonly LanePiece[];
  readonly slices: number;
}

export type LaneBins = CounterLane | SliceLane;

/** The bins of an answer of `lane_bins`. */
export function laneBins(answer: ToolAnswer, range: TickRange): LaneBins {
  const columns = (id: string) => {
    const table = answer.tables.find((candidate) => candidate.id === id);
    return (name: string) => table?.columns.find((column) => column.id === name)?.values ?? [];
  };
  if (answer.tables.some(({ id }) => id === "counter_bins")) {
    const values = columns("counter_bins");
    const integers = (name: string) => values(name).map((value) => (value === null ? null : BigInt(value as string)));
    const greatest = integers("max");
    return {
      kind: "counter",
      range,
      starts: values("start").map((value) => BigInt(value as string)),
      least: integers("min"),
      greatest,
      top: greatest.reduce<bigint>((most, value) => (value !== null && value > most ? value : most), 0n),
    };
  }
  const [slices, bins] = [columns("slices"), columns("bins")];
  const names = [...new Set([...slices("name"), ...bins("name")].map(String))].sort();
  const places = new Map(names.map((name, place) => [name, place]));
  const piecesOf = (values: typeof slices, busy: string): readonly LanePiece[] =>
    values("start").map((value, k) => {
      const startTicks = BigInt(value as string);
      return {
        startTicks,
        endTicks: startTicks + BigInt(values("duration")[k] as string),
        row: Number(values("row")[k]),
        name: places.get(String(values("name")[k]))!,
        busyTicks: BigInt(values(busy)[k] as string),
      };
    });
  const whole = piecesOf(slices, "duration");
  return { kind: "slices", range, names, pieces: [...whole, ...piecesOf(bins, "busy")], slices: whole.length };
}

/** The bin of a counter at a tick; -1: none. */
export function binAt({ starts, range }: CounterLane, tick: bigint): number {
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

/** The greatest bin within some of another; the nearest of these. */
export function greatestNear(bins: CounterLane, bin: number, within: number): number {
  let highest = bin;
  for (let distance = 1; distance <= within; distance++) {
    for (const other of [bin - distance, bin + distance]) {
      if ((bins.greatest[other] ?? -1n) > (bins.greatest[highest] ?? -1n)) {
        highest = other;
      }
    }
  }
  return highest;
}

/** The ticks of a bin of a counter. */
export function rangeOf({ starts, range }: CounterLane, bin: number): TickRange {
  return { startTicks: ticks(starts[bin]!), endTicks: ticks(starts[bin + 1] ?? range.endTicks) };
}

/** Columns of pixels of the screen: from the least to the greatest, as parts of the top; NaN where nothing is known. */
export interface CurveColumns {
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

/**
 * A counter in each column of a view, which may have moved on since the bins were asked for. A column has all bins that touch it:
 * none is hidden by another.
 */
export function counterColumns(bins: CounterLane, view: View, ratio: number): CurveColumns {
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

/** Tolerance in pixels: borders of bins are whole ticks, and seldom whole pixels. */
const ROUNDING = 0.01;

/** By name, the part of each column of a row of the screen that it takes, in [0, 1]: exact sums, spread evenly within a bin. */
export function shareColumns(lane: SliceLane, row: number, view: View, ratio: number): readonly Float64Array[] {
  const width = Math.max(1, Math.round(view.widthPx * ratio));
  const shares = lane.names.map(() => new Float64Array(width));
  for (const piece of lane.pieces) {
    const x = xOfTick(view, piece.startTicks) * ratio;
    const endX = xOfTick(view, piece.endTicks) * ratio;
    if (piece.row !== row || endX < 0 || x > width) {
      continue;
    }
    const density = Number(piece.busyTicks) / Math.max(1, Number(piece.endTicks - piece.startTicks));
    const [first, end] = [Math.max(0, Math.floor(x)), Math.min(width, Math.ceil(endX))];
    const columns = shares[piece.name]!;
    for (let index = first; index < end; index++) {
      const covered = Math.min(endX, index + 1) - Math.max(x, index);
      columns[index] = Math.min(1, columns[index]! + density * Math.max(0, covered));
    }
  }
  return shares;
}

/** Names at a tick with the part of their piece's time that they take, the greatest first. */
export function sharesAt({ pieces, names }: SliceLane, tick: bigint): readonly { name: string; share: number }[] {
  return pieces
    .filter(({ startTicks, endTicks }) => startTicks <= tick && tick < endTicks)
    .map(({ startTicks, endTicks, name, busyTicks }) => ({
      name: names[name]!,
      share: Number(busyTicks) / Math.max(1, Number(endTicks - startTicks)),
    }))
    .sort((a, b) => b.share - a.share);
}

/** The part of a view that the run has: what is asked about. Null: nothing of the run is on the screen. */
export function askedRange(seen: TickRange, run: TickRange): TickRange | null {
  const startTicks = seen.startTicks > run.startTicks ? seen.startTicks : run.startTicks;
  const endTicks = seen.endTicks < run.endTicks ? seen.endTicks : run.endTicks;
  return endTicks > startTicks ? { startTicks, endTicks } : null;
}
