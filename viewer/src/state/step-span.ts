/** Spans of steps in the timeline. Loaded with the first that somebody goes to. */

import { type TickRange, ticks } from "@tilescope/client";
import { valuesOf, wholeOf } from "./answer-values";
import { clockGroups } from "./clock-groups";
import type { Pane } from "./pane";
import type { Trace } from "./trace";

/**
 * The first pass of a step, over all devices, as a pane draws it; `stepName`: of the events that steps are, "" for those that the run
 * marks as steps.
 */
export async function stepSpan(
  { shifts }: Pick<Pane, "shifts">,
  trace: Trace,
  step: string,
  stepName = "",
  abort = new AbortController().signal,
): Promise<TickRange> {
  const named = stepName === "" ? {} : { step_name: stepName };
  const groups = clockGroups(shifts.peek(), trace.tracks.values());
  const spans = await Promise.allSettled(
    groups.map(async ({ laterTicks, tracks }) => {
      const answer = await trace.api.ask("steps", { steps: step, limit: 1, tracks, ...named }, abort);
      const [start, end] = ["start", "end"].map((column) => valuesOf(answer, "steps", column)[0]);
      if (start == null || end == null) {
        throw new Error("there is no such step");
      }
      return [BigInt(wholeOf(start)) + laterTicks, BigInt(wholeOf(end)) + laterTicks] as const;
    }),
  );
  // Where clocks differ, some of them may have no such step.
  const own = spans.flatMap((span) => (span.status === "fulfilled" ? [span.value] : []));
  const [failed] = spans.flatMap((span) => (span.status === "rejected" ? [span.reason] : []));
  if (own.length === 0) {
    throw failed;
  }
  return {
    startTicks: ticks(own.map(([start]) => start).reduce((a, b) => (b < a ? b : a))),
    endTicks: ticks(own.map(([, end]) => end).reduce((a, b) => (b > a ? b : a))),
  };
}
