/** Buckets of durations (docs/page-format.md, Spreads): what stands for a bucket is at most one per cent from a duration in it. */

import { lowerBound } from "./record-columns";

const TICK_LIMIT = 1n << 61n;

const VALUES: BigInt64Array = BigInt64Array.from(values());
/** The longest duration of each bucket. */
const LONGEST = VALUES.map((value) => (value * 100n) / 99n);

function* values(): Generator<bigint> {
  for (let least = 0n; least < TICK_LIMIT; ) {
    const value = (least * 101n) / 100n;
    yield value;
    least = (value * 100n) / 99n + 1n;
  }
}

/** The bucket of a duration. */
export function bucketOf(duration: bigint): number {
  return lowerBound(LONGEST, duration);
}

/** Duration that stands for those of a bucket. */
export function bucketValue(bucket: number): bigint {
  return VALUES[bucket]!;
}
