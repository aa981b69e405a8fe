/** Searches, typed: what `ask("search", …)` and `ask("hit_bins", …)` answer. docs/search.md is how queries are written. */

import type { ToolAnswer, ToolColumn, ToolTable } from "../base/schema";
import { type Ticks, ticks } from "../base/time";
import type { ToolQuestion } from "./answer";
import type { BuildApi } from "./api";

/** An event that a query selects. */
export interface SearchHit {
  readonly track: number;
  readonly ordinal: bigint;
  readonly name: string;
  readonly category: string;
  readonly startTicks: Ticks;
  readonly durationTicks: Ticks;
  /** Nesting depth, 0 is the top. */
  readonly row: number;
}

/** Sums over the hits of one name. */
export interface HitsOfName {
  readonly nameId: number;
  readonly name: string;
  readonly category: string;
  readonly count: bigint;
  /** Within the span, each event by itself. */
  readonly busyTicks: bigint;
}

/** Result of a search: all hits together, by name, and some of them one by one. */
export interface SearchAnswer {
  /** Names that match, whether or not they occur. */
  readonly names: number;
  readonly count: bigint;
  readonly busyTicks: bigint;
  /** The busiest first. */
  readonly byName: readonly HitsOfName[];
  readonly hits: readonly SearchHit[];
  /** `after` of the search that goes on; null: all are listed. */
  readonly more: string | null;
}

/** A bin of a view with hits in it. */
export interface HitBin {
  readonly track: number;
  readonly startTicks: Ticks;
  /** Hits that start in it. */
  readonly count: bigint;
  readonly busyTicks: bigint;
}

/** Density of the hits of a search in a view. */
export interface HitBins {
  readonly binTicks: Ticks;
  readonly bins: readonly HitBin[];
}

/** `start`, `end`, `tracks`, `steps`; of a list `limit`, `after` and `backward`. */
export type SearchQuestion = ToolQuestion;

const AT_ONCE = 1000;

/** Count, time and names of the events that a query selects, and the first of them by time. */
export async function search(
  build: BuildApi,
  query: string,
  question: SearchQuestion = {},
  signal?: AbortSignal,
): Promise<SearchAnswer> {
  const answer = await build.ask("search", { ...question, query, totals: "true" }, signal);
  const names = columnsOf(tableOf(answer, "names"));
  const [name, category] = [texts(names, "name"), texts(names, "category")];
  const [count, busy] = [integers(names, "count"), integers(names, "busy")];
  const byName = integers(names, "name_id").map((id, k) => {
    return { nameId: Number(id), name: name[k]!, category: category[k]!, count: count[k]!, busyTicks: busy[k]! };
  });
  const events = tableOf(answer, "events");
  return {
    names: Number(figure(answer, "names")),
    count: figure(answer, "count"),
    busyTicks: figure(answer, "busy"),
    byName,
    hits: hitsOf(events),
    more: events.more,
  };
}

/** All events that a query selects, by time, page by page: what is not taken is not looked for. */
export async function* hits(
  build: BuildApi,
  query: string,
  question: SearchQuestion = {},
  signal?: AbortSignal,
): AsyncGenerator<SearchHit, void, undefined> {
  let { after } = question;
  do {
    const parameters = { limit: AT_ONCE, ...question, query, totals: "false", after };
    const events = tableOf(await build.ask("search", parameters, signal), "events");
    yield* hitsOf(events);
    after = events.more ?? undefined;
  } while (after !== undefined);
}

/** Density of the hits of a query in a view of `px` pixels, track by track. */
export async function hitBins(
  build: BuildApi,
  query: string,
  question: ToolQuestion = {},
  signal?: AbortSignal,
): Promise<HitBins> {
  const answer = await build.ask("hit_bins", { ...question, query, by: "track" }, signal);
  const columns = columnsOf(tableOf(answer, "bins"));
  const [start, count, busy] = [integers(columns, "start"), integers(columns, "count"), integers(columns, "busy")];
  const bins = integers(columns, "track").map((track, k) => {
    return { track: Number(track), startTicks: ticks(start[k]!), count: count[k]!, busyTicks: busy[k]! };
  });
  return { binTicks: ticks(figure(answer, "bin_ticks")), bins };
}

function hitsOf(events: ToolTable): SearchHit[] {
  const columns = columnsOf(events);
  const [name, category] = [texts(columns, "name"), texts(columns, "category")];
  const [start, duration] = [integers(columns, "start"), integers(columns, "duration")];
  const row = integers(columns, "row");
  return texts(columns, "event").map((event, k) => {
    const [track, ordinal] = event.split(".") as [string, string];
    return {
      track: Number(track),
      ordinal: BigInt(ordinal),
      name: name[k]!,
      category: category[k]!,
      startTicks: ticks(start[k]!),
      durationTicks: ticks(duration[k]!),
      row: Number(row[k]!),
    };
  });
}

type Columns = ReadonlyMap<string, ToolColumn>;

function tableOf(answer: ToolAnswer, id: string): ToolTable {
  const table = answer.tables.find((candidate) => candidate.id === id);
  if (table === undefined) {
    throw new Error(`the answer has no table ${id}`);
  }
  return table;
}

function columnsOf(table: ToolTable): Columns {
  return new Map(table.columns.map((column) => [column.id, column]));
}

function texts(columns: Columns, id: string): string[] {
  return (columns.get(id)?.values ?? []).map(String);
}

function integers(columns: Columns, id: string): bigint[] {
  return (columns.get(id)?.values ?? []).map((value) => BigInt(value ?? 0));
}

function figure(answer: ToolAnswer, id: string): bigint {
  return BigInt(answer.facts.find((fact) => fact.id === id)?.value ?? 0);
}
