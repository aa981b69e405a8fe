/** Records of one archive in memory by their keys, as they are stored or decoded: those that were used last, up to a number of bytes. */

export class RecordCache<Value> {
  /** Least recently used first. */
  readonly #values = new Map<string, Promise<Value>>();
  readonly #sizes = new Map<string, number>();
  readonly #sizeOf: (value: Value) => number;
  readonly #budgetBytes: number;
  #sizeBytes = 0;

  /** `sizeOf`: bytes of a value. */
  constructor(sizeOf: (value: Value) => number, budgetBytes: number) {
    this.#sizeOf = sizeOf;
    this.#budgetBytes = budgetBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** The value of a key, read once for all who want it; what could not be read is read again by whoever wants it next. */
  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const value = this.#values.get(key) ?? this.#begin(key, read());
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  #begin(key: string, value: Promise<Value>): Promise<Value> {
    value.then(
      (read) => this.#keep(key, value, this.#sizeOf(read)),
      () => this.#forget(key, value),
    );
    return value;
  }

  #keep(key: string, value: Promise<Value>, bytes: number): void {
    if (this.#values.get(key) !== value) {
      return;
    }
    this.#sizes.set(key, bytes);
    this.#sizeBytes += bytes;
    for (const oldest of this.#values.keys()) {
      if (this.#sizeBytes <= this.#budgetBytes) {
        break;
      }
      this.#forget(oldest, this.#values.get(oldest)!);
    }
  }

  #forget(key: string, value: Promise<Value>): void {
    if (this.#values.get(key) === value) {
      this.#values.delete(key);
      this.#sizeBytes -= this.#sizes.get(key) ?? 0;
      this.#sizes.delete(key);
    }
  }
}
