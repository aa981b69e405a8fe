/** A small seeded generator, so that randomised tests fail the same way twice (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** 64 bits, often near the ends of the range. */
  int64(): bigint {
    const bits = (BigInt(this.below(2 ** 32)) << 32n) | BigInt(this.below(2 ** 32));
    return BigInt.asIntN(64, bits >> BigInt(this.below(64)));
  }
}
