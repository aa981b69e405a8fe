/** The values that were asked for last, so that going back to one is instant. */

export class Recent<T> {
  readonly #limit: number;
  readonly #values = new Map<string, T>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value, which is the latest from now on. */
  get(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.set(key, value);
    }
    return value;
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#limit) {
      this.#values.delete(this.#values.keys().next().value!);
    }
  }
}
