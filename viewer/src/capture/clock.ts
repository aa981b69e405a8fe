/** How much of a capture is over and left, between two messages of the server. Pure. */

import type { Capture } from "@tilescope/client";
import { slowestHost } from "./words";

/** A capture, when it was heard of, and since when its hosts capture: in milliseconds of the page's clock. */
export interface HeardCapture {
  readonly capture: Capture;
  readonly heardMs: number;
  /** Null while none does. */
  readonly capturingSinceMs: number | null;
}

/** What was heard before, and what is heard now. */
export function heard(before: HeardCapture | null, capture: Capture, nowMs: number): HeardCapture {
  const isCapturing = capture.hosts.some(({ phase }) => phase === "capturing");
  const sinceMs = before?.capture.id === capture.id ? before.capturingSinceMs : null;
  return { capture, heardMs: nowMs, capturingSinceMs: isCapturing ? (sinceMs ?? nowMs) : null };
}

export interface CaptureTimes {
  readonly elapsedMs: number;
  /** Of the time that is captured; null where that is not what one waits for. */
  readonly leftMs: number | null;
  /** Of what is going on, 0 to 1; null where nobody knows. */
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
