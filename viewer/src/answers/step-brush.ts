/** Steps of a chart that somebody chooses: which places a span of x touches, which steps these are, in words. Pure. */

import type { ToolSeries } from "@tilescope/client";
import type { ChartData } from "./chart-data";
import type { StepSpan } from "./links";

/** PlaceSpan of a chart, both ends included. */
export interface PlaceSpan {
  readonly first: number;
  readonly last: number;
}

type Drawn = Pick<ChartData, "xs" | "gap" | "rows">;

export class StepBrush {
  readonly #data: Drawn;
  readonly #numbers: readonly (bigint | null)[];

  constructor(data: Drawn, numbers: readonly (bigint | null)[]) {
    this.#data = data;
    this.#numbers = numbers;
  }

  /** Null where x is no steps. */
  static forSeries(series: Pick<ToolSeries, "x">, data: Drawn): StepBrush | null {
    if (series.x.id !== "step") {
      return null;
    }
    const numbers = Array.from(data.rows, (row) => stepOf(series.x.values[row] ?? null));
    return numbers.some((number) => number !== null) ? new StepBrush(data, numbers) : null;
  }

  /** The places whose columns a span of x touches: at least one. */
  touched(from: number, to: number): PlaceSpan {
    const { xs, gap } = this.#data;
    const half = gap / 2;
    let first = xs.findIndex((x) => x + half > from);
    let last = xs.findLastIndex((x) => x - half < to);
    first = first < 0 ? xs.length - 1 : first;
    last = last < 0 ? 0 : last;
    return first <= last ? { first, last } : { first: last, last };
  }

  /** From where to where on x these places reach. */
  reach({ first, last }: PlaceSpan): { readonly from: number; readonly to: number } {
    const { xs, gap } = this.#data;
    return { from: xs[first]! - gap / 2, to: xs[last]! + gap / 2 };
  }

  /** The place of a step; null where it has none. */
  placeOf(step: bigint): number | null {
    const place = this.#numbers.indexOf(step);
    return place < 0 ? null : place;
  }

  /** The steps of these places; null where they have no numbers. */
  steps({ first, last }: PlaceSpan): StepSpan | null {
    const numbers = this.#numbers.slice(first, last + 1).filter((number) => number !== null);
    const [only] = numbers;
    return only === undefined
      ? null
      : {
          first: numbers.reduce((least, number) => (number < least ? number : least), only),
          last: numbers.reduce((most, number) => (number > most ? number : most), only),
        };
  }
}

/** `step 5`, `steps 5 to 9`. */
export function stepWords({ first, last }: StepSpan): string {
  return first === last ? `step ${first}` : `steps ${first} to ${last}`;
}

/** The number of a step: `5`, or `5 · host`, where several hosts have it. */
function stepOf(value: unknown): bigint | null {
  const number = /^\d{1,18}(?= |$)/.exec(String(value ?? ""))?.[0];
  return number === undefined ? null : BigInt(number);
}
