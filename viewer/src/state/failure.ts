/** What went wrong with a question, in words for those who wait for the answer. Pure. */

import { ApiError, NetworkError } from "@tilescope/client";

export interface Failure {
  /** The tool has no answer for this run: not a fault. */
  readonly isUnavailable: boolean;
  readonly message: string;
  readonly advice: string;
}

/** What went wrong, and what to do about it. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof NetworkError) {
    const advice = "See whether `tilescope serve` still runs and can be reached, then try again.";
    return { isUnavailable: false, message, advice };
  }
  if (!(error instanceof ApiError)) {
    return { isUnavailable: false, message, advice: "Try again; if it stays so, reload the page." };
  }
  switch (error.code) {
    case "not_available":
      return { isUnavailable: true, message, advice: "" };
    case "tool_failed":
      return { isUnavailable: false, message, advice: "The tool has a fault: tell those who maintain its package." };
    case "unknown_build":
    case "unknown_run":
      return { isUnavailable: false, message, advice: "The trace has changed since it was opened: reload the page." };
    default:
      return error.status === 429 || error.status === 503
        ? { isUnavailable: false, message, advice: "The server is busy: try again in a moment, or ask for less." }
        : {
            isUnavailable: false,
            message,
            advice: error.status < 500 ? "Change what is asked, then try again." : "Try again.",
          };
  }
}
