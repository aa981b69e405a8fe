/** Rank of a slice by its duration among those of its name, as the tool `rank` answers it, and in words. Pure. */

import type { ToolAnswer } from "@tilescope/client";
import { formatCount, plural } from "../components/format";

/** Slices that last `leastTicks` to `mostTicks`. */
export interface DurationBin {
  readonly leastTicks: bigint;
  readonly mostTicks: bigint;
  readonly count: bigint;
}

export interface Rank {
  /** Slices of its name that start in the span. */
  readonly count: bigint;
  readonly durationTicks: bigint;
  /** Slices that are longer: so many at least and at most; the same where all were compared. */
  readonly longer: readonly [least: bigint, most: bigint];
  /** Slices as long as it, itself among them; null where not all were compared. */
  readonly equal: bigint | null;
  readonly shortestTicks: bigint;
  /** Within one per cent where too many slices are nearly as long. */
  readonly medianTicks: bigint;
  readonly isMedianExact: boolean;
  readonly meanTicks: bigint;
  readonly longestTicks: bigint;
  readonly totalTicks: bigint;
  readonly bins: readonly DurationBin[];
}

export function readRank({ facts, tables }: ToolAnswer): Rank {
  const figures = new Map(facts.map(({ id, value }) => [id, value]));
  const integer = (id: string) => BigInt(String(figures.get(id) ?? 0));
  const columns = tables.find(({ id }) => id === "distribution")?.columns ?? [];
  const [least, most, count] = ["least", "most", "count"].map(
    (name) => columns.find(({ id }) => id === name)?.values ?? [],
  );
  return {
    count: integer("count"),
    durationTicks: integer("duration"),
    longer: [integer("longer"), integer("longer_most")],
    equal: figures.get("equal") == null ? null : integer("equal"),
    shortestTicks: integer("shortest"),
    medianTicks: integer(figures.get("median") == null ? "about_median" : "median"),
    isMedianExact: figures.get("median") != null,
    meanTicks: integer("mean"),
    longestTicks: integer("longest"),
    totalTicks: integer("total"),
    bins: least!.map((ticks, k) => ({
      leastTicks: BigInt(String(ticks)),
      mostTicks: BigInt(String(most![k])),
      count: BigInt(String(count![k])),
    })),
  };
}

/** 1n → `1st`, 12n → `12th`, 1023n → `1 023rd`. */
export function ordinalText(place: bigint): string {
  const teens = place % 100n;
  const ending = teens > 10n && teens < 14n ? "th" : (["th", "st", "nd", "rd"][Number(place % 10n)] ?? "th");
  return `${formatCount(place)}${ending}`;
}

/** `3rd longest of 318`, `Longest of 7, with 2 others`, `1,203rd to 1,310th longest of 40,000`. */
export function rankText({ count, longer: [least, most], equal, shortestTicks, longestTicks }: Rank): string {
  if (count === 1n) {
    return "The only slice of its name";
  }
  if (shortestTicks === longestTicks && equal === count) {
    return `All ${formatCount(count)} of its name last equally long`;
  }
  if (equal === null) {
    return `${ordinalText(least + 1n)} to ${ordinalText(most)} longest of ${formatCount(count)}`;
  }
  const others = equal > 1n ? `, with ${plural(equal - 1n, "other")}` : "";
  const place = least === 0n ? "Longest" : least + equal === count ? "Shortest" : `${ordinalText(least + 1n)} longest`;
  return `${place} of ${formatCount(count)}${others}`;
}

/** The bin that has a duration; -1: it is outside of them, as that of a slice which is not in the span may be. */
export function binOf({ bins }: Pick<Rank, "bins">, ticks: bigint): number {
  return bins.findIndex(({ leastTicks, mostTicks }) => leastTicks <= ticks && ticks <= mostTicks);
}

/** Heights of the bars in per cent of the highest: what has any slice is seen. */
export function barHeights({ bins }: Pick<Rank, "bins">): readonly number[] {
  const highest = bins.reduce((most, { count }) => (count > most ? count : most), 1n);
  return bins.map(({ count }) => (count === 0n ? 0 : Math.max(6, Number((count * 1000n) / highest) / 10)));
}
