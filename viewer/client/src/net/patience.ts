/** What a client does that a server has told to ask again later (429): it waits as long as it was told, a few times. */

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
