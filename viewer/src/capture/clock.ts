/** Elapsed and remaining time of a capture, between two messages of the server. Pure. */

import type { Capture } from "@tilescope/client";
import { slowestHost } from "./words";

/** A capture, when it was heard of, and since when its hosts capture: in milliseconds of the page's clock. */
export interface HeardCapture {
  readonly capture: Capture;
  readonly heardMs: number;
  /** Null while none does. */
  readonly capturingSinceMs: number | null;
}

/** State after another message: `before` and the new one together. */
export function heard(before: HeardCapture | null, capture: Capture, nowMs: number): HeardCapture {
  const isCapturing = capture.hosts.some(({ phase }) => phase === "capturing");
  const sinceMs = before?.capture.id === capture.id ? before.capturingSinceMs : null;
  return { capture, heardMs: nowMs, capturingSinceMs: isCapturing ? (sinceMs ?? nowMs) : null };
}

export interface CaptureTimes {
  readonly elapsedMs: number;
  /** Time left of the captured time; null where that is not the phase. */
  readonly leftMs: number | null;
  /** Share of the present phase that is over, 0 to 1; null where it is unknown. */
  readonly part: number | null;
}

export function timesOf({ capture, heardMs, capturingSinceMs }: HeardCapture, nowMs: number): CaptureTimes {
  const isRunning = capture.state === "running";
  const elapsedMs = capture.elapsedMs + (isRunning ? nowMs - heardMs : 0);
  const slowest = slowestHost(capture);
  const durationMs = capture.order.durationMs ?? 1000;
  if (slowest?.phase === "capturing" && capturingSinceMs !== null) {
    const part = Math.min(1, (nowMs - capturingSinceMs) / durationMs);
    return { elapsedMs, leftMs: durationMs * (1 - part), part };
  }
  if (slowest?.phase === "receiving" && slowest.totalBytes > 0n) {
    return { elapsedMs, leftMs: null, part: Math.min(1, Number(slowest.sizeBytes) / Number(slowest.totalBytes)) };
  }
  if (slowest?.phase === "waiting" && slowest.waitMs > 0) {
    const leftMs = Math.max(0, slowest.waitMs - (nowMs - heardMs));
    return { elapsedMs, leftMs, part: null };
  }
  return { elapsedMs, leftMs: null, part: isRunning ? null : 1 };
}
