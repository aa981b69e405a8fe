/**
 * Pauses before a client tries again: as long as the server has asked for, or else longer each time, up to a bound. A question is tried a
 * few times, a connection for good.
 */

import { ApiError, AwayError, NetworkError } from "./error";

const TRIES = 6;
const FIRST_MS = 500;
const MOST_MS = 10_000;
/** A server that asks for a longer wait has no room: who asked is told so at once. */
const LONGEST_WAIT_S = 600;

/** The server, or a proxy before it, has too much to do, and did nothing. */
const TOO_MANY = 429;
/** The same; but to all except the first of these, what was asked for may have been begun. */
const BUSY_STATUSES: readonly number[] = [TOO_MANY, 502, 503, 504];

/** Resolves after `ms`; rejects with the signal's reason when that is aborted. */
export type Pause = (ms: number, signal: AbortSignal | null) => Promise<void>;

/** Pause before a question is asked again that has failed this often; null: the failure stands. */
export function waitBeforeMs(
  tries: number,
  error: unknown,
  isRepeatable: boolean,
  random = Math.random,
): number | null {
  if (tries >= TRIES || !isWorthAnother(error, isRepeatable)) {
    return null;
  }
  const retryAfter = error instanceof ApiError ? error.retryAfter : null;
  if (Number(retryAfter) > LONGEST_WAIT_S) {
    return null;
  }
  return retryAfter !== null && /^[0-9]{1,6}$/.test(retryAfter)
    ? Math.min(Number(retryAfter) * 1000, MOST_MS)
    : retryPauseMs(tries - 1, FIRST_MS, MOST_MS, random);
}

/**
 * True if the same question may be answered later: the server was busy, or did not answer. Any other failure is final: nothing asks again
 * by itself, only a person does.
 */
export function mayPass(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && BUSY_STATUSES.includes(error.status));
}

/** `isRepeatable`: asked twice it does no harm. */
function isWorthAnother(error: unknown, isRepeatable: boolean): boolean {
  const didNothing = error instanceof ApiError && error.status === TOO_MANY;
  return didNothing || (isRepeatable && mayPass(error) && !(error instanceof AwayError));
}

/** Resolves after `ms`; rejects with the signal's reason when that is aborted. */
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
