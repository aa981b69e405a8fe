/** Stored histograms with their spreads (docs/page-format.md, Histograms), added to sums. */

import { INTS } from "../archive/columns";
import type { Container } from "../pages/container";
import { FormatError } from "../pages/error";
import { bucketOf } from "./duration-buckets";
import type { GroupSum, NameSums } from "./name-sums";
import { recordColumns } from "./record-columns";

/** In place of names that have no row of their own. */
const OTHER_NAMES = -2n;

/**
 * Adds the histogram of a tile of a track; `group`: what all of it is summed up under, null: each name by itself. False where names
 * have no row of their own and would need one: nothing is added. Throws FormatError.
 */
export function addHistogram(
  sums: NameSums,
  histogram: Uint8Array,
  spread: Uint8Array,
  owner: number,
  group: number | null,
): boolean {
  const container = recordColumns(histogram, "TSHG", owner);
  const n = container.tileCount;
  const column = (id: number): BigInt64Array => container.ints(id, n).values;
  const name = column(INTS.histogramName);
  if (group === null && n > 0 && name[n - 1] === OTHER_NAMES) {
    return false;
  }
  const [count, busy, nested] = [INTS.histogramCount, INTS.histogramBusy, INTS.busyMinusSelf].map(column);
  const [longest, outside, shorter] = [INTS.longest, INTS.durationMinusBusy, INTS.longestMinusShortest].map(column);
  const buckets = new BucketReader(recordColumns(spread, "TSSD", owner), n);
  for (let k = 0; k < n; k++) {
    const row = sums.row(group ?? Number(name[k]));
    const shortest = longest![k]! - shorter![k]!;
    if (count![k]! < 0n || busy![k]! < 0n || shortest < 0n) {
      throw new FormatError("a histogram is damaged");
    }
    row.busy += busy![k]!;
    row.self += busy![k]! - nested![k]!;
    row.addDurations(count![k]!, busy![k]! + outside![k]!, shortest, longest![k]!);
    buckets.addRow(row, count![k]!, shortest, longest![k]!);
  }
  return true;
}

/** Reads the buckets of the rows of a histogram one after the other: the shortest and the longest of each are not among them. */
class BucketReader {
  readonly #sizes: BigInt64Array;
  readonly #steps: BigInt64Array;
  readonly #counts: BigInt64Array;
  #row = 0;
  #position = 0;

  constructor(spread: Container, rows: number) {
    const buckets = spread.sizeOf(INTS.bucketCount);
    this.#sizes = spread.ints(INTS.nBuckets, rows).values;
    this.#steps = spread.ints(INTS.bucketStep, buckets).values;
    this.#counts = spread.ints(INTS.bucketCount, buckets).values;
  }

  addRow(row: GroupSum, count: bigint, shortest: bigint, longest: bigint): void {
    let bucket = bucketOf(shortest);
    if (count > 0n) {
      row.addBucket(bucket, 1n);
    }
    if (count > 1n) {
      row.addBucket(bucketOf(longest), 1n);
    }
    const stop = this.#position + Number(this.#sizes[this.#row]);
    this.#row += 1;
    if (!(stop >= this.#position && stop <= this.#counts.length)) {
      throw new FormatError("a spread is damaged");
    }
    for (; this.#position < stop; this.#position++) {
      bucket += Number(this.#steps[this.#position]);
      row.addBucket(bucket, this.#counts[this.#position]!);
    }
  }
}
