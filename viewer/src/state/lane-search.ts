/** Slices of the derived lanes that are drawn, as far as a search selects them. They are no events, and counted apart. */

import { signal } from "@preact/signals";
import { type TickRange, type ToolAnswer, ticks } from "@tilescope/client";
import { isGrowing, valuesOf, wholeOf } from "./answer-values";
import type { DerivedLane } from "./lanes";
import type { Pane } from "./pane";
import { perPane } from "./per-pane";
import { exactly, LONGEST_QUERY } from "./query-text";
import { questionKey } from "./question-key";
import { lastOf, Requester, type RequestState } from "./request-state";
import type { Trace } from "./trace";

export interface LaneName {
  readonly lane: string;
  readonly title: string;
  readonly name: string;
  readonly count: bigint;
  readonly busyTicks: bigint;
}

export interface LaneHitNames {
  readonly query: string;
  /** Ids of the lanes that were searched. */
  readonly lanes: readonly string[];
  readonly names: readonly LaneName[];
  /** False while the run is being indexed, and lanes may be missing. */
  readonly isComplete: boolean;
}

export class LaneSearch {
  readonly names = signal<RequestState<LaneHitNames>>({ kind: "none" });
  readonly #requester = new Requester<LaneHitNames>(0, this.names);

  ask(trace: Trace, query: string, lanes: readonly DerivedLane[]): void {
    if (query === "" || lanes.length === 0) {
      this.#requester.clear();
      return;
    }
    const ids = lanes.map(({ id }) => id);
    const question = { query, lanes: ids.join(","), limit: 0, totals: "false" };
    const key = questionKey(trace.manifest, "search", question);
    const ask = async (abort: AbortSignal) => laneNamesOf(await trace.api.ask("search", question, abort), query, ids);
    void this.#requester.want(key, ask);
  }
}

export const laneSearch = perPane(() => new LaneSearch());

export function laneNamesOf(answer: ToolAnswer, query: string, lanes: readonly string[]): LaneHitNames {
  const column = (id: string) => valuesOf(answer, "lane_names", id);
  const [titles, names, counts, busy] = [column("title"), column("name"), column("count"), column("busy")];
  const rows = column("lane").map((lane, k) => ({
    ...{ lane: String(lane), title: String(titles[k]), name: String(names[k]) },
    count: wholeOf(counts[k]!),
    busyTicks: wholeOf(busy[k]!),
  }));
  return { query, lanes, names: rows, isComplete: !isGrowing(answer) };
}

/** Names in a lane of which the search selects slices, which are lit; null: that is not searched for there, or not known yet. */
export function litNames(
  pane: Pane,
  { id, kind }: Pick<DerivedLane, "id" | "kind">,
  text: string,
): ReadonlySet<string> | null {
  const answer = text === "" || kind !== "slices" ? null : (lastOf(laneSearch(pane).names.value)?.answer ?? null);
  // The last answer may be to another query, or from before the lane was drawn.
  const isAnswered = answer !== null && answer.query === text && answer.lanes.includes(id);
  return !isAnswered ? null : new Set(answer.names.filter(({ lane }) => lane === id).map(({ name }) => name));
}

/** The first slice of a name that a query selects and that starts at a tick or later, or else the first of all; null: there is none. */
export async function nextSlice(
  trace: Trace,
  { lane, name }: LaneName,
  text: string,
  fromTicks: bigint,
): Promise<TickRange | null> {
  // The slices that are counted: the other terms hold for them too.
  const whole = `${exactly(name)} ${text}`;
  const query = whole.length > LONGEST_QUERY ? text : whole;
  for (const start of [fromTicks, 0n]) {
    const question = { query, lanes: lane, start, limit: 1, totals: "false" };
    const answer = await trace.api.ask("search", question);
    const first = valuesOf(answer, "lane_slices", "start")[0];
    if (first !== undefined) {
      const startTicks = wholeOf(first);
      const duration = wholeOf(valuesOf(answer, "lane_slices", "duration")[0]!);
      return { startTicks: ticks(startTicks), endTicks: ticks(startTicks + duration) };
    }
  }
  return null;
}
