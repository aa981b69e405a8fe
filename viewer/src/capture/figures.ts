/** The figures of a monitor, as rows: what each is called, its newest value in words, and its line. Pure. */

import type { MonitorSample } from "@tilescope/client";
import { percentDigits } from "../components/percent";
import { type SparkValues, topOf } from "./sparkline";

export interface MonitorRow {
  readonly id: string;
  readonly name: string;
  /** `41 %`; null: not recorded. */
  readonly text: string | null;
  /** `120.1 – 131.0 ms`, `0.900 ms – 12.0 s`; "" where there is none. */
  readonly range: string;
  readonly values: SparkValues;
  /** `12 % to 43 %`, for those who do not see the line. */
  readonly spoken: string;
  /** Reason for a missing value. */
  readonly missing: string;
}

function percent(part: number): string {
  return `${percentDigits(part, part >= 0.1 || part === 0 ? 0 : 1)}\u202f%`;
}

/** 0.42 → `0.420 ms`, 122.46 → `122.5 ms`, 12,345 → `12.35 s`. */
export function milliseconds(value: number): string {
  if (value >= 10_000) {
    return `${(value / 1000).toFixed(2)}\u202fs`;
  }
  return `${value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3)}\u202fms`;
}

/** `\u202fms` of `12.0\u202fms`. */
function unitOf(text: string): string {
  return text.slice(text.indexOf("\u202f"));
}

interface RowKind {
  readonly id: string;
  readonly name: string;
  readonly missing: string;
  readonly isShare: boolean;
  readonly value: (sample: MonitorSample) => number | null;
  readonly band?: (sample: MonitorSample) => readonly [number, number] | null;
}

function both(least: number | null, most: number | null): readonly [number, number] | null {
  return least === null || most === null ? null : [least, most];
}

const ROWS: readonly RowKind[] = [
  {
    id: "mxu",
    name: "Matrix units",
    missing: "Recorded on TPUs and GPUs only",
    isShare: true,
    value: ({ matrixUnitUtilization }) => matrixUnitUtilization,
  },
  {
    id: "idle",
    name: "Devices idle",
    missing: "Recorded on TPUs and GPUs only",
    isShare: true,
    value: ({ deviceIdle }) => deviceIdle,
  },
  {
    id: "step",
    name: "Step time",
    missing: "The job marked no step",
    isShare: false,
    value: ({ stepMeanMs }) => stepMeanMs,
    band: ({ stepMinMs, stepMaxMs }) => both(stepMinMs, stepMaxMs),
  },
  {
    id: "infeed",
    name: "Waits for input",
    missing: "The job marked no step",
    isShare: true,
    value: ({ infeedMean }) => infeedMean,
    band: ({ infeedMin, infeedMax }) => both(infeedMin, infeedMax),
  },
];

export function rowsOf(samples: readonly MonitorSample[], places: number): readonly MonitorRow[] {
  return ROWS.map(({ id, name, missing, isShare, value, band }) => {
    const words = isShare ? percent : milliseconds;
    const line = samples.map(value);
    const bands = band === undefined ? [] : samples.map(band);
    const values = line.filter((value) => value !== null);
    const most = Math.max(0, ...values, ...bands.map((band) => band?.[1] ?? 0));
    const newest = line.at(-1) ?? null;
    const range = bands.at(-1) ?? null;
    return {
      id,
      name,
      missing,
      text: newest === null ? null : words(newest),
      range: range === null ? "" : `${words(range[0]).replace(unitOf(words(range[1])), "")} – ${words(range[1])}`,
      values: { line, ...(band && { band: bands }), top: isShare ? 1 : topOf(most), places },
      spoken: values.length === 0 ? missing : `${words(Math.min(...values))} to ${words(Math.max(...values))}`,
    };
  });
}
