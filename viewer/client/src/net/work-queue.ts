/**
 * Runs small pieces of work one after the other, and lets the browser draw in between.
 *
 * A page takes about a millisecond to decode, a large one ten, and a new view brings dozens at once: decoded in one go they would
 * cost several frames. The pieces of a page are its columns.
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

export class WorkQueue {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();
  #spentMs = 0;

  constructor(clock: Clock = browserClock) {
    this.#clock = clock;
  }

  /** Runs `work` after all work that was given before; settles as it does. */
  run<T>(work: () => T): Promise<T> {
    return this.runSteps(() => ({ next: () => ({ done: true, value: work() }) }));
  }

  /** The same for work that can be interrupted wherever it yields. */
  runSteps<T>(work: () => Iterator<unknown, T>): Promise<T> {
    const done = this.#last.then(() => this.#turn(work));
    this.#last = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async #turn<T>(work: () => Iterator<unknown, T>): Promise<T> {
    const steps = work();
    for (;;) {
      if (this.#spentMs >= SLICE_MS) {
        await this.#clock.pause();
        this.#spentMs = 0;
      }
      const begin = this.#clock.now();
      try {
        const step = steps.next();
        if (step.done === true) {
          return step.value;
        }
      } finally {
        this.#spentMs += this.#clock.now() - begin;
      }
    }
  }
}
