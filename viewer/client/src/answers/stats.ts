/** Statistics of a span: the answer of the tool `stats`, as far as it needs no arguments of events and no steps. */

import type { ToolAnswerJson, ToolColumn } from "../base/schema";
import type { ArchivedRun } from "./archived-run";
import { type GroupSum, NameSums, summed } from "./name-sums";
import { questionSpan, questionTracks } from "./question";
import { addSpan, type SummedTrack } from "./span-sums";
import { type EventGroups, groupingOf } from "./stats-groups";

const DEFAULT_ROWS = 1000;
const FIELDS = new Set(["start", "end", "tracks", "by", "limit", "outliers"]);

const MEDIAN = 50n;
const TAIL = 99n;

/** Columns of ticks, and how values of rows become one. */
const TICK_COLUMNS = [
  ["busy", "Busy", "sum"],
  ["self", "Self", "sum"],
  ["mean", "Mean", "none"],
  ["shortest", "Shortest", "min"],
  ["p50", "p50 ±1%", "none"],
  ["p99", "p99 ±1%", "none"],
  ["longest", "Longest", "max"],
] as const;

/** The answer to a question; null where it takes a server. */
export async function statsAnswer(run: ArchivedRun, question: URLSearchParams): Promise<ToolAnswerJson | null> {
  const grouping = await groupingOf(run, question.get("by") ?? "name");
  if ([...question.keys()].some((field) => !FIELDS.has(field)) || question.get("outliers") === "true") {
    return null;
  }
  if (grouping === null) {
    return null;
  }
  const manifest = await run.manifest();
  const span = await questionSpan(run, question);
  const tracks = await questionTracks(run, question.get("tracks"));
  const sums = new NameSums();
  const summedTracks = tracks.map(
    (track): SummedTrack => ({
      track,
      group: grouping.ofTrack?.(track) ?? null,
      leftOut: new Set(
        (manifest.public.outliers?.events ?? [])
          .filter((event) => event.track === track && event.reason !== "before" && event.reason !== "after")
          .map((event) => Number(event.ordinal)),
      ),
    }),
  );
  await addSpan(run, sums, summedTracks, manifest.public.root_level, span.within);
  const ofNames = await grouping.ofNames?.([...sums.rows.keys()]);
  const rows = (ofNames === undefined ? sums : sums.regrouped((name) => ofNames.get(name)!)).busiestFirst();
  const limit = Number(question.get("limit") ?? DEFAULT_ROWS);
  const total = summed(rows.map(([, row]) => row));
  const facts: ToolAnswerJson["facts"] = [
    { id: "names", label: grouping.title, kind: "count", value: String(rows.length), note: "that occur in the span" },
    { id: "tracks", label: "Tracks", kind: "count", value: String(tracks.length), note: "" },
    { id: "start", label: "Start", kind: "time", value: String(span.shown.start), note: "" },
    { id: "end", label: "End", kind: "time", value: String(span.shown.stop), note: "" },
  ];
  const table = {
    ...{ id: "names", title: grouping.title, parent: null, nested: [], opens: [], more: null },
    columns: await columnsOf(grouping, rows.slice(0, limit), total.busy),
    totals: figures(total),
    rest: rows.length > limit ? figures(summed(rows.slice(limit).map(([, row]) => row))) : null,
  };
  return { complete: true, headline: null, facts, tables: [table], series: [], notes: [] };
}

async function columnsOf(
  grouping: EventGroups,
  rows: readonly (readonly [number, GroupSum])[],
  whole: bigint,
): Promise<ToolColumn[]> {
  const numbers = rows.map(([number]) => number);
  const list = rows.map(([, row]) => row);
  const share = (row: GroupSum): number | null => (whole === 0n ? null : quotient(row.busy, whole));
  const all = list.map(figures);
  return [
    ...(await grouping.columns(numbers)),
    {
      id: "count",
      title: "Count",
      kind: "count",
      unit: "",
      total: "sum",
      values: list.map(({ count }) => String(count)),
    },
    { id: "share", title: "Share", kind: "fraction", unit: "", total: "sum", values: list.map(share) },
    ...TICK_COLUMNS.map(
      ([id, title, total]): ToolColumn => ({
        id,
        title,
        kind: "ticks",
        unit: "",
        total,
        values: all.map((row) => row[id]!),
      }),
    ),
  ];
}

/** Figures of a group, by column; null where nothing starts, of which there is no duration. */
function figures(row: GroupSum): Record<string, string | null> {
  const duration = (ticks: () => bigint): string | null => (row.count === 0n ? null : String(ticks()));
  return {
    ...{ count: String(row.count), busy: String(row.busy), self: String(row.self) },
    mean: duration(() => row.mean),
    shortest: duration(() => row.shortest!),
    p50: duration(() => row.quantile(MEDIAN)),
    p99: duration(() => row.quantile(TAIL)),
    longest: duration(() => row.longest),
  };
}

/** The double that is nearest to the quotient of two whole numbers. */
function quotient(part: bigint, whole: bigint): number {
  const shift = BigInt(Math.max(0, 66 + whole.toString(2).length - part.toString(2).length));
  const scaled = (part << shift) / whole;
  // What is left over tells halves from what is above them.
  const isExact = scaled * whole === part << shift;
  return Number(isExact ? scaled : scaled | 1n) / 2 ** Number(shift);
}
