import type { ToolAnswer } from "@tilescope/client";
import { expect, test } from "vitest";
import { laneNamesOf, laneSearch, litNames, nextSlice } from "./lane-search";
import { makePane } from "./pane";
import type { Trace } from "./trace";

const pane = makePane();

const column = (id: string, values: readonly unknown[]) => ({ id, title: id, kind: "name", unit: "", values });
const answer = (id: string, columns: readonly unknown[]) =>
  ({ facts: [], series: [], tables: [{ id, columns }], complete: false }) as unknown as ToolAnswer;

const IDLE = { lane: "overlap.2", title: "What GPU 0 does", name: "Idle", count: 3n, busyTicks: 9007199254740993n };

test("names of lanes, exactly; none where the answer is about events alone", () => {
  const columns = [
    column("lane", ["overlap.2"]),
    column("title", ["What GPU 0 does"]),
    column("name", ["Idle"]),
    column("count", ["3"]),
    column("busy", ["9007199254740993"]),
  ];
  expect(laneNamesOf(answer("lane_names", columns), "Idle", ["overlap.2"])).toEqual({
    ...{ query: "Idle", lanes: ["overlap.2"] },
    ...{ names: [IDLE], isComplete: false },
  });
  expect(laneNamesOf(answer("names", columns), "Idle", []).names).toEqual([]);
});

test("names with slices that are found are lit in their lane, once that is known", () => {
  const lane = { id: "overlap.2", kind: "slices" } as const;
  laneSearch(pane).names.value = { kind: "none" };
  expect(litNames(pane, lane, "Idle")).toBeNull();
  const hits = { query: "Idle", lanes: ["overlap.2", "overlap.3"], names: [IDLE], isComplete: true };
  laneSearch(pane).names.value = { kind: "answered", key: "k", answer: hits };
  expect(litNames(pane, lane, "Idle")).toEqual(new Set(["Idle"]));
  expect(litNames(pane, { ...lane, id: "overlap.3" }, "Idle")).toEqual(new Set());
  expect(litNames(pane, { ...lane, id: "overlap.4" }, "Idle"), "drawn since").toBeNull();
  expect(litNames(pane, lane, "Idl"), "another query").toBeNull();
  laneSearch(pane).names.value = {
    kind: "waiting",
    key: "l",
    patience: "quiet",
    stale: { key: "k", answer: hits },
    sinceMs: 0,
  };
  expect(litNames(pane, lane, "Idl"), "the answer to the query before").toBeNull();
  expect(litNames(pane, lane, "Idle"), "the same query, of a run that grows").toEqual(new Set(["Idle"]));
  laneSearch(pane).names.value = { kind: "answered", key: "k", answer: hits };
  expect(litNames(pane, { ...lane, kind: "counter" }, "Idle")).toBeNull();
  expect(litNames(pane, lane, "")).toBeNull();
});

test("the next slice is the first one again behind the last", async () => {
  const questions: unknown[] = [];
  const queries: unknown[] = [];
  const ask = async (_tool: string, question: { readonly start: bigint; readonly query: string }) => {
    questions.push(question.start);
    queries.push(question.query);
    const starts = question.start > 40n ? [] : ["40"];
    return answer("lane_slices", [column("start", starts), column("duration", starts.length === 0 ? [] : ["5"])]);
  };
  const trace = { api: { ask } } as unknown as Trace;
  expect(await nextSlice(trace, IDLE, "dur>1ms", 7n)).toEqual({ startTicks: 40n, endTicks: 45n });
  expect(await nextSlice(trace, IDLE, "dur>1ms", 41n)).toEqual({ startTicks: 40n, endTicks: 45n });
  expect(questions).toEqual([7n, 41n, 0n]);
  expect(new Set(queries)).toEqual(new Set(['"Idle" dur>1ms']));
  const long = `dur>${"1".repeat(505)}ns`;
  await nextSlice(trace, IDLE, long, 7n);
  expect(queries.at(-1)).toBe(long);
});
