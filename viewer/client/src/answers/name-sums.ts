/** Sums over slices by a number, which is that of a name, a track or another group: exact, and of any size. */

import { FormatError } from "../pages/error";
import { bucketOf, bucketValue } from "./duration-buckets";

/** Sums of one group. Durations are those of the slices that start in the span, whole. */
export class GroupSum {
  count = 0n;
  busy = 0n;
  self = 0n;
  duration = 0n;
  longest = 0n;
  /** Null while nothing starts. */
  shortest: bigint | null = null;
  /** Slices by the bucket of their durations. */
  readonly buckets = new Map<number, bigint>();

  /** Adds a slice that starts in the span. */
  addStart(duration: bigint): void {
    this.addDurations(1n, duration, duration, duration);
    this.addBucket(bucketOf(duration), 1n);
  }

  /** Adds slices that start in the span and last so long together. */
  addDurations(count: bigint, duration: bigint, shortest: bigint, longest: bigint): void {
    if (count > 0n) {
      this.count += count;
      this.duration += duration;
      this.longest = longest > this.longest ? longest : this.longest;
      this.shortest = this.shortest === null || shortest < this.shortest ? shortest : this.shortest;
    }
  }

  addBucket(bucket: number, count: bigint): void {
    this.buckets.set(bucket, (this.buckets.get(bucket) ?? 0n) + count);
  }

  add(other: GroupSum): void {
    this.busy += other.busy;
    this.self += other.self;
    this.addDurations(other.count, other.duration, other.shortest ?? 0n, other.longest);
    for (const [bucket, count] of other.buckets) {
      this.addBucket(bucket, count);
    }
  }

  /** The mean duration, to the nearest tick, halves up. */
  get mean(): bigint {
    return (2n * this.duration + this.count) / (2n * this.count);
  }

  /** The duration that so many per cent of the slices do not exceed, within one per cent. */
  quantile(perCent: bigint): bigint {
    const rank = (this.count * perCent + 99n) / 100n;
    let upTo = 0n;
    for (const [bucket, count] of [...this.buckets].sort(([a], [b]) => a - b)) {
      upTo += count;
      if (upTo >= rank) {
        const value = bucketValue(bucket);
        const atLeast = value < this.shortest! ? this.shortest! : value;
        return atLeast > this.longest ? this.longest : atLeast;
      }
    }
    throw new FormatError("a spread has fewer slices than its histogram");
  }
}

export class NameSums {
  readonly rows = new Map<number, GroupSum>();

  row(group: number): GroupSum {
    let row = this.rows.get(group);
    if (row === undefined) {
      row = new GroupSum();
      this.rows.set(group, row);
    }
    return row;
  }

  /** The groups with the most busy ticks first; of equal ones that with the lower number. */
  busiestFirst(): [number, GroupSum][] {
    return [...this.rows].sort(([a, first], [b, second]) =>
      first.busy > second.busy ? -1 : first.busy < second.busy ? 1 : a - b,
    );
  }

  /** The same, with groups that are summed up in others. */
  regrouped(groupOf: (group: number) => number): NameSums {
    const sums = new NameSums();
    for (const [group, row] of this.rows) {
      sums.row(groupOf(group)).add(row);
    }
    return sums;
  }
}

/** All groups together. */
export function summed(rows: Iterable<GroupSum>): GroupSum {
  const total = new GroupSum();
  for (const row of rows) {
    total.add(row);
  }
  return total;
}
