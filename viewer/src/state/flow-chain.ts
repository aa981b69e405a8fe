/** The chain of flows that the selected event is in: it stays while one walks along it. */

import { signal } from "@preact/signals";
import type { ToolAnswer } from "@tilescope/client";
import type { Pane } from "./pane";
import { perPane } from "./per-pane";
import { buildKey, questionKey } from "./question-key";
import { Requester, type RequestState } from "./request-state";
import type { Trace } from "./trace";

export interface ChainEvent {
  readonly track: number;
  readonly ordinal: number;
  readonly name: string;
  readonly startTicks: bigint;
  readonly durationTicks: bigint;
  /** Number of flows from the event that was asked about; negative: back. */
  readonly depth: number;
}

/** From one of the events to another, by their places in the list. */
export interface ChainFlow {
  readonly from: number;
  readonly to: number;
}

export interface FlowChain {
  /** Events that lead to it first, the farthest before the others; those as far as each other by time. */
  readonly events: readonly ChainEvent[];
  readonly flows: readonly ChainFlow[];
  /** It goes on beyond what is listed. */
  readonly isCut: boolean;
}

export const chainView = perPane(() => signal<RequestState<FlowChain>>({ kind: "none" }));

/** So many chains are at hand again at once. */
const KEPT = 100;

const TOOL = "flows";

type AskedTrace = Pick<Trace, "manifest" | "api">;

export class ChainLoader {
  readonly #pane: Pane;
  readonly #requester: Requester<FlowChain>;

  constructor(pane: Pane) {
    this.#pane = pane;
    this.#requester = new Requester(KEPT, chainView(pane));
  }

  /** Asks for the chain of an event, unless it is in the one that is known. */
  async follow({ manifest, api }: AskedTrace, track: number, ordinal: number): Promise<void> {
    if (chainOf(chainView(this.#pane).peek(), manifest, track, ordinal) === null) {
      const question = { event: `${track}.${ordinal}` };
      await this.#requester.want(questionKey(manifest, TOOL, question), async (abort) =>
        readChain(await api.ask(TOOL, question, abort)),
      );
    }
  }

  /** State of the chain of an event: that of a revision before is stale. */
  about({ manifest }: AskedTrace, track: number, ordinal: number): RequestState<FlowChain> {
    const { state } = this.#requester;
    const isKnown = chainOf(state, manifest, track, ordinal) !== null;
    return isKnown ? state : this.#requester.about(questionKey(manifest, TOOL, { event: `${track}.${ordinal}` }));
  }

  /** Asks once more for the chain that was asked for last. */
  again(): void {
    void this.#requester.again();
  }

  close(): void {
    this.#requester.clear();
  }
}

/** The chain that an event is known to be in, in a build as far as it has grown; null: none is known. */
export function chainOf(
  state: RequestState<FlowChain>,
  manifest: Parameters<typeof buildKey>[0],
  track: number,
  ordinal: number,
): FlowChain | null {
  const isOfBuild = state.kind === "answered" && state.key.startsWith(`${buildKey(manifest)} `);
  return isOfBuild && placeIn(state.answer, track, ordinal) >= 0 ? state.answer : null;
}

/** Index of the event; -1: it is none of these. */
export function placeIn({ events }: FlowChain, track: number, ordinal: number): number {
  return events.findIndex((event) => event.track === track && event.ordinal === ordinal);
}

/** The chain that the tool `flows` answers for an event. */
export function readChain({ tables, notes }: ToolAnswer): FlowChain {
  const columns = new Map(tables.find(({ id }) => id === "chain")?.columns.map(({ id, values }) => [id, values]));
  const cell = (id: string, row: number) => columns.get(id)?.[row] ?? null;
  const listed = (columns.get("event") ?? []).map((event, row) => {
    const [track, ordinal] = String(event).split(".").map(Number);
    return {
      ...{
        row,
        parent: Number(cell("parent", row)),
        track: track!,
        ordinal: ordinal!,
        name: String(cell("name", row) ?? ""),
      },
      ...{ startTicks: BigInt(String(cell("start", row))), durationTicks: BigInt(String(cell("duration", row))) },
      depth: Number(cell("depth", row)),
    };
  });
  const sorted = listed.toSorted((a, b) => a.depth - b.depth || (a.startTicks < b.startTicks ? -1 : 1));
  const places = new Map(sorted.map(({ row }, place) => [row, place]));
  const flows = sorted.flatMap(({ depth, parent }, place) => {
    const other = places.get(parent);
    return other === undefined ? [] : depth < 0 ? [{ from: place, to: other }] : [{ from: other, to: place }];
  });
  const isCut = notes.some(({ severity }) => severity === "warning");
  return { events: sorted.map(({ row: _row, parent: _parent, ...event }) => event), flows, isCut };
}
