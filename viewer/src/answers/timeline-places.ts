/** Places in the timeline to which rows lead, by the kinds and ids of their columns. */

import { type TickRange, type ToolColumn, ticks } from "@tilescope/client";
import type { Links } from "./links";

export type Place =
  | {
      readonly kind: "event";
      readonly track: number;
      readonly ordinal: number;
      /** Time to be shown around it; null: as much as is shown already. */
      readonly span: TickRange | null;
    }
  | {
      readonly kind: "span";
      readonly span: TickRange | null;
      readonly track: number | null;
      /** A search that finds what the row is about; empty: none. */
      readonly query: string;
    };

/** Finds the place of each row of a table; null where its columns lead nowhere. */
export class Places {
  readonly #event: ToolColumn | undefined;
  readonly #span: ToolColumn | undefined;
  readonly #track: ToolColumn | undefined;
  readonly #start: ToolColumn | undefined;
  readonly #end: ToolColumn | undefined;
  readonly #duration: ToolColumn | undefined;
  readonly #query: ToolColumn | undefined;

  constructor(columns: readonly ToolColumn[]) {
    const ofKind = (kind: ToolColumn["kind"]) => columns.find((column) => column.kind === kind);
    const named = (id: string, kind: ToolColumn["kind"]) =>
      columns.find((column) => column.id === id && column.kind === kind);
    this.#event = ofKind("event");
    this.#span = ofKind("span");
    this.#track = ofKind("track");
    this.#start = named("start", "time");
    this.#end = named("end", "time");
    this.#duration = named("duration", "ticks");
    this.#query = columns.find(isQuery);
  }

  /** True if any row may lead somewhere. */
  get areThere(): boolean {
    return (this.#event ?? this.#span ?? this.#track ?? this.#start ?? this.#query) !== undefined;
  }

  placeOf(row: number): Place | null {
    const event = this.#event?.values[row] ?? null;
    const hasSpan = typeof (this.#span?.values[row] ?? null) === "string"; // then events are what the row tells of it
    if (!hasSpan && typeof event === "string") {
      return { kind: "event", ...parseEvent(event), span: this.#end === undefined ? null : this.#spanOf(row) };
    }
    const span = this.#spanOf(row);
    const track = this.#track?.values[row] ?? null;
    const query = this.#query?.values[row] ?? null;
    return span === null && track === null && query === null
      ? null
      : {
          kind: "span",
          span,
          track: typeof track === "number" ? track : null,
          query: typeof query === "string" ? query : "",
        };
  }

  #spanOf(row: number): TickRange | null {
    const text = this.#span?.values[row] ?? null;
    if (typeof text === "string") {
      const { startTicks, endTicks } = parseSpan(text);
      return range(startTicks, endTicks);
    }
    const start = this.#start?.values[row] ?? null;
    if (start === null) {
      return null;
    }
    const from = BigInt(start);
    const end = this.#end?.values[row] ?? null;
    const duration = this.#duration?.values[row] ?? null;
    return range(from, end !== null ? BigInt(end) : duration !== null ? from + BigInt(duration) : from);
  }
}

/** True if a column has searches for the events of its rows. */
export function isQuery({ id, kind }: Pick<ToolColumn, "id" | "kind">): boolean {
  return id === "query" && kind === "text";
}

/** Leads to a place. */
export function goToPlace(links: Links, place: Place | null): void {
  if (place?.kind === "event") {
    links.goToEvent(place.track, place.ordinal, place.span);
  } else if (place !== null) {
    links.goTo(place.span, place.track, place.query);
  }
}

/** A value of kind `event`: `track.ordinal`. */
export function parseEvent(text: string): { readonly track: number; readonly ordinal: number } {
  const [track, ordinal] = text.split(".").map(Number);
  return { track: track!, ordinal: ordinal! };
}

/** A value of kind `span`: `start-end`. */
export function parseSpan(text: string): TickRange {
  const dash = text.indexOf("-", 1); // the start may be negative
  return { startTicks: ticks(text.slice(0, dash)), endTicks: ticks(text.slice(dash + 1)) };
}

/** A span of at least one tick. */
function range(start: bigint, end: bigint): TickRange {
  return { startTicks: ticks(start), endTicks: ticks(end > start ? end : start + 1n) };
}
