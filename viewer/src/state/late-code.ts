/** Code that is loaded behind the first picture, as those see it who can do without for a moment. */

export class LateCode<Code> {
  readonly #import: () => Promise<Code>;
  readonly #whenHere: ((code: Code) => void)[] = [];
  #here: Code | null = null;
  #coming: Promise<Code> | null = null;

  constructor(load: () => Promise<Code>) {
    this.#import = load;
  }

  /** The loaded code, or null. */
  get here(): Code | null {
    return this.#here;
  }

  /** Loads it, unless it is here or on its way. Rejects when it cannot be had; the next call tries again. */
  load(): Promise<Code> {
    this.#coming ??= this.#import().then(
      (code) => {
        this.#here = code;
        for (const act of this.#whenHere.splice(0)) {
          act(code);
        }
        return code;
      },
      (error: unknown) => {
        this.#coming = null;
        throw error;
      },
    );
    return this.#coming;
  }

  /** Does something at once, or as soon as the code is loaded, in the order of the calls. */
  whenHere(act: (code: Code) => void): void {
    if (this.#here === null) {
      this.#whenHere.push(act);
    } else {
      act(this.#here);
    }
  }

  /** Resolves when it is loaded, or cannot be had, or after so many milliseconds. */
  async soon(patienceMs: number): Promise<void> {
    const patience = new Promise((resolve) => setTimeout(resolve, patienceMs));
    await Promise.race([this.load().catch(() => undefined), patience]);
  }

  /** Has it loaded, and does something with it. */
  ask(act?: (code: Code) => void): void {
    if (act !== undefined) {
      this.whenHere(act);
    }
    this.load().catch(() => undefined);
  }
}
