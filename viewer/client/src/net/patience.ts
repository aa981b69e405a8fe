/**
 * How long a client waits before it tries again: what a server has told to ask later (429) as long as it was told, a few
 * times; what has lost its server longer each time, up to a bound.
 */

const TRIES = 6;
const MOST_MS = 10_000;

/** Resolves after some time; rejects with the signal's reason when that is aborted. */
export type Pause = (ms: number, signal: AbortSignal | null) => Promise<void>;

/** How long to wait before the next try, after so many; null: the refusal stands. */
export function waitBeforeMs(tries: number, retryAfter: string | null): number | null {
  if (tries >= TRIES) {
    return null;
  }
  const seconds = retryAfter !== null && /^[0-9]{1,6}$/.test(retryAfter) ? Number(retryAfter) : 1;
  return Math.min(seconds * 1000, MOST_MS);
}

/** The browser's own pause. */
export function pauseFor(ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Clients of one server must not all come back at the same moment: up to this part of a pause is left out, by chance. */
const JITTER = 0.25;

/** The pause after so many failures: about `firstMs`, then twice the one before, and never more than `longestMs`. */
export function retryPauseMs(failures: number, firstMs: number, longestMs: number, random = Math.random): number {
  return Math.min(longestMs, firstMs * 2 ** failures) * (1 - JITTER * random());
}
