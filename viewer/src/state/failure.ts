/** Failures of questions, in words for those who wait for the answer. Pure. */

import { ApiError, mayPass, NetworkError } from "@tilescope/client";

export interface Failure {
  /** The tool has no answer for this run: not a fault. */
  readonly isUnavailable: boolean;
  /** The same question fails again: only a person asks it once more. */
  readonly isFinal: boolean;
  readonly message: string;
  readonly advice: string;
}

/** Description of an error, and advice on it. */
export function failureOf(error: unknown): Failure {
  const isUnavailable = error instanceof ApiError && error.code === "not_available";
  const message = error instanceof Error ? error.message : String(error);
  return { isUnavailable, isFinal: !mayPass(error), message, advice: isUnavailable ? "" : adviceOn(error) };
}

function adviceOn(error: unknown): string {
  if (error instanceof NetworkError) {
    return "See whether `tilescope serve` still runs and can be reached, then try again.";
  }
  if (!(error instanceof ApiError)) {
    return "Try again; if it stays so, reload the page.";
  }
  switch (error.code) {
    case "tool_failed":
      return "The tool has a fault: tell those who maintain its package.";
    case "unknown_build":
    case "unknown_run":
      return "The trace has changed since it was opened: reload the page.";
    case "unreadable":
      return "A proxy or a page for signing in may have answered in the place of the server: reload the page.";
    default:
      break;
  }
  if (mayPass(error)) {
    return "The server is busy: try again in a moment, or ask for less.";
  }
  return error.status < 500 ? "Change what is asked, then try again." : "Try again.";
}
