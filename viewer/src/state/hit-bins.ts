/** Where the hits of a search are in a view, whatever is drawn there: asked of the server when the view stands still. */

import { signal } from "@preact/signals";
import { type TickRange, type ToolAnswer, type ToolQuestion, type ToolTable, ticks } from "@tilescope/client";
import { Latest } from "./latest";

export interface HitBins {
  readonly binTicks: bigint;
  /** By `laneKey`: the starts of the bins with hits, ascending. */
  readonly starts: ReadonlyMap<string, readonly bigint[]>;
}

/** A row of a track; rollups are one row. */
export function laneKey(track: number, row: number): string {
  return `${track} ${row}`;
}

export const NO_HITS: HitBins = { binTicks: 0n, starts: new Map() };

/** Those of the last view that was answered; they stay while the next ones are on their way. */
export const hitBins = signal<HitBins>(NO_HITS);

/** A view that moves asks nothing. */
const RESTED_MS = 150;

export type AskHits = (question: ToolQuestion, signal: AbortSignal) => Promise<ToolAnswer>;

export class HitBinsLoader {
  readonly #ask: AskHits;
  readonly #latest = new Latest<HitBins>((state) => {
    // What cannot be had is not marked: the colours of what is drawn tell, too.
    hitBins.value = state.kind === "ready" ? state.value : state.kind === "waiting" ? hitBins.peek() : NO_HITS;
  });
  #timer: ReturnType<typeof setTimeout> | undefined;
  #key = "";

  constructor(ask: AskHits) {
    this.#ask = ask;
  }

  /** Follows the view and what is searched. */
  follow(query: string, range: TickRange, tracks: string, widthPx: number): void {
    const px = Math.max(1, Math.round(widthPx));
    const key = [query, range.startTicks, range.endTicks, tracks, px].join(" ");
    if (key === this.#key) {
      return;
    }
    this.#key = key;
    clearTimeout(this.#timer);
    const start = range.startTicks;
    const end = range.endTicks > start ? range.endTicks : ticks(start + 1n);
    const question = { query, start, end, tracks, px, by: "lane" };
    this.#timer = setTimeout(() => {
      void this.#latest.ask(key, async (abort) => readHitBins(await this.#ask(question, abort)));
    }, RESTED_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#key = "";
    this.#latest.clear();
  }
}

/** The bins of an answer of the tool `hit_bins`. */
export function readHitBins({ facts, tables }: ToolAnswer): HitBins {
  const table = tables.find(({ id }) => id === "bins");
  const width = facts.find(({ id }) => id === "bin_ticks")?.value ?? null;
  if (table === undefined || width === null) {
    return NO_HITS;
  }
  const starts = new Map<string, bigint[]>();
  const row = column(table, "row");
  const start = column(table, "start");
  column(table, "track").forEach((track, k) => {
    const key = laneKey(Number(track), Number(row[k]));
    const of = starts.get(key) ?? [];
    of.push(BigInt(String(start[k])));
    starts.set(key, of);
  });
  return { binTicks: BigInt(String(width)), starts };
}

function column(table: ToolTable, name: string) {
  return table.columns.find(({ id }) => id === name)?.values ?? [];
}
