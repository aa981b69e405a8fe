/** From a slice to the one before or after it that has the same name, on its track. Loaded with the first such step. */

import type { EventDetails, ToolQuestion } from "@tilescope/client";
import { exactly, LONGEST_QUERY } from "../state/query-text";
import { failure, showNotice } from "../state/shell";
import { detailsWhenHere, type StepPort } from "./steps";

/** The question whose first event is the neighbour; null where the name is longer than a search may be. */
export function neighbourQuestion(
  { track, ordinal, name, category, startTicks }: EventDetails,
  direction: "previous" | "next",
): ToolQuestion | null {
  const query = `${exactly(name === "" ? "[no name]" : name)} cat:${exactly(category)}`;
  return query.length > LONGEST_QUERY
    ? null
    : {
        ...{ query, tracks: String(track), limit: 1, names: 0, totals: "false" },
        ...{ after: `${startTicks},${track},${ordinal}`, backward: direction === "previous" ? "true" : "false" },
      };
}

/** Words for a slice that is the last of its name in a direction. */
export function noNeighbour(direction: "previous" | "next"): string {
  return `This is the ${direction === "previous" ? "first" : "last"} slice of its name on this track`;
}

/** Selects the neighbour of the selected slice, and shows it; says so where there is none. */
export async function stepOfName(port: StepPort, direction: "previous" | "next"): Promise<void> {
  const details = await detailsWhenHere(port.pane);
  const trace = port.pane.session.peek()?.trace;
  if (details === null || trace === undefined) {
    return;
  }
  const signal = port.startAnew();
  const question = neighbourQuestion(details, direction);
  if (question === null) {
    failure.value = "This name is too long to search for.";
    return;
  }
  try {
    const { tables } = await trace.api.ask("search", question, signal);
    const events = tables.find(({ id }) => id === "events")?.columns.find(({ id }) => id === "event")?.values ?? [];
    const [track, ordinal] = String(events[0] ?? "").split(".");
    if (signal.aborted) {
      return;
    }
    if (track === undefined || ordinal === undefined) {
      showNotice(noNeighbour(direction));
    } else {
      port.goTo(Number(track), Number(ordinal));
    }
  } catch (error) {
    if (!signal.aborted) {
      failure.value = `The ${direction} slice of this name could not be looked up: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
