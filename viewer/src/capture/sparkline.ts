/** The lines of a small chart, as SVG paths. Pure. */

export interface SparkSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Values of a chart: numbers from left to right, null where none was recorded; the newest one is at the right. */
export interface SparkValues {
  readonly line: readonly (number | null)[];
  /** Around the line: from the first to the second. */
  readonly band?: readonly (readonly [number, number] | null)[];
  /** Values at the bottom and at the top; the top is above all values. */
  readonly top: number;
  /** So many places there are; the line begins further right while there are fewer values. */
  readonly places: number;
}

export interface SparkPaths {
  readonly line: string;
  readonly band: string;
  /** Position of the newest value; null where it was not recorded. */
  readonly dot: readonly [number, number] | null;
}

/** Room for the line's own width, so that it is not cut at the rim. */
const PAD_PX = 2;

export function sparkPaths(
  { line, band = [], top, places }: SparkValues,
  { widthPx, heightPx }: SparkSize,
): SparkPaths {
  const step = (widthPx - 2 * PAD_PX) / Math.max(1, places - 1);
  const x = (index: number) => round(widthPx - PAD_PX - (line.length - 1 - index) * step);
  const y = (value: number) => {
    const part = Math.max(0, Math.min(1, value / (top > 0 ? top : 1)));
    return round(heightPx - PAD_PX - part * (heightPx - 2 * PAD_PX));
  };
  const parts = runsOf(line).map((indices) =>
    indices.length === 1
      ? `M${x(indices[0]!)} ${y(line[indices[0]!]!)}h0.01`
      : `M${indices.map((index) => `${x(index)} ${y(line[index]!)}`).join("L")}`,
  );
  const bands = runsOf(band).map((indices) => {
    const highs = indices.map((index) => `${x(index)} ${y(band[index]![1])}`);
    const lows = indices.toReversed().map((index) => `${x(index)} ${y(band[index]![0])}`);
    return `M${[...highs, ...lows].join("L")}Z`;
  });
  const last = line.at(-1) ?? null;
  return { line: parts.join(""), band: bands.join(""), dot: last === null ? null : [x(line.length - 1), y(last)] };
}

/** The places that follow one another without a gap. */
function runsOf(values: readonly (unknown | null)[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  values.forEach((value, index) => {
    if (value === null) {
      return;
    }
    const run = runs.at(-1);
    if (run?.at(-1) === index - 1) {
      run!.push(index);
    } else {
      runs.push([index]);
    }
  });
  return runs;
}

function round(px: number): number {
  return Math.round(px * 10) / 10;
}

/** The top of an axis: the next of 1, 2, 5, 10 … above a value. 122 → 200. */
export function topOf(most: number): number {
  if (!(most > 0)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((factor) => factor * power).find((top) => top >= most)!;
}
