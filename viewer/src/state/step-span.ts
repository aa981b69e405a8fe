/** Spans of steps in the timeline. Loaded with the first that somebody goes to. */

import { type TickRange, ticks } from "@tilescope/client";
import { valuesOf, wholeOf } from "./answer-values";
import type { Pane } from "./pane";
import { drawnTicks, hostOf } from "./shifts";
import type { Trace } from "./trace";

/**
 * The first pass of a step, over all devices that count, as a pane draws it; `stepName`: of the events that steps are, "" for those that
 * the run marks as steps.
 */
export async function stepSpan(
  pane: Pick<Pane, "shifts">,
  trace: Trace,
  step: string,
  stepName = "",
  abort = new AbortController().signal,
): Promise<TickRange> {
  const named = stepName === "" ? {} : { step_name: stepName };
  const answer = await trace.api.ask("steps", { steps: step, limit: 1, ...named }, abort);
  const [starts, ends, events, hosts] = ["start", "end", "event", "host"].map((id) => valuesOf(answer, "devices", id));
  let [first, last]: [bigint | null, bigint | null] = [null, null];
  for (const [k, recorded] of starts!.entries()) {
    const event = events![k] ?? trackOfHost(trace, hosts![k]);
    const track = Number(String(event).split(".")[0]);
    const [start, end] = [recorded, ends![k]!].map((time) => drawnTicks(pane, track, wholeOf(time)));
    first = first === null || start! < first ? start! : first;
    last = last === null || end! > last ? end! : last;
  }
  if (first === null || last === null) {
    throw new Error("there is no such step");
  }
  return { startTicks: ticks(first), endTicks: ticks(last) };
}

/** A track of a host, where a step is no slice: all its clocks are shifted alike. */
function trackOfHost(trace: Trace, host: unknown): number {
  return [...trace.tracks.values()].find(({ group }) => hostOf(trace, group)?.name === host)?.id ?? -1;
}
