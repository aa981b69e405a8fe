/**
 * Runs small pieces of work one after the other, and lets the browser draw in between.
 *
 * A page takes about a millisecond to decode, and a new view brings dozens at once: decoded in one go they would cost
 * several frames.
 */

/** Work for this long, then give way: what a frame has left beside its own script and what the browser does for it. */
const SLICE_MS = 2;

export interface Clock {
  now(): number;
  /** Resolves after the browser had a chance to draw. */
  pause(): Promise<void>;
}

const browserClock: Clock = {
  now: () => performance.now(),
  // A message comes back at once, behind a frame that is due; nested timers wait for 4 ms.
  pause: () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    }),
};

export class Turns {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();
  #sliceStart = Number.NEGATIVE_INFINITY;
  #spentMs = 0;

  constructor(clock: Clock = browserClock) {
    this.#clock = clock;
  }

  /** Runs `work` after all work that was given before; settles as it does. */
  run<T>(work: () => T): Promise<T> {
    const done = this.#last.then(() => this.#turn(work));
    this.#last = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async #turn<T>(work: () => T): Promise<T> {
    if (this.#spentMs >= SLICE_MS) {
      await this.#clock.pause();
      this.#spentMs = 0;
    }
    this.#sliceStart = this.#clock.now();
    try {
      return work();
    } finally {
      this.#spentMs += this.#clock.now() - this.#sliceStart;
    }
  }
}
