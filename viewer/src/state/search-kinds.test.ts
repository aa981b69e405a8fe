import type { ToolAnswer } from "@tilescope/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makePane } from "./pane";
import { askKinds, countedKinds, kindsState } from "./search-kinds";
import type { Trace } from "./trace";

const pane = makePane();

type Asked = { readonly query: string; readonly signal: AbortSignal; answer(events: number): void; fail(): void };

const requests: Asked[] = [];

function answerOf(events: number): ToolAnswer {
  const row = { kind: "argument", argument: "Call stack", items: 1, events, query: 'arg:"Call stack"~"a"' };
  const columns = Object.entries(row).map(([id, value]) => ({ id, values: [value] }));
  return { complete: true, facts: [], tables: [{ id: "kinds", columns }] } as unknown as ToolAnswer;
}

function traceOf(revision: number): Trace {
  const ask = (_tool: string, { query }: { query: string }, signal: AbortSignal) =>
    new Promise((resolve, reject) => {
      const [answer, fail] = [(n: number) => resolve(answerOf(n)), () => reject(new Error("The disk is gone"))];
      requests.push({ query, signal, answer, fail });
    });
  return { manifest: { run: "r", build: "b", state: "growing", revision }, api: { ask } } as unknown as Trace;
}

async function asks(trace: Trace, query: string): Promise<Asked> {
  askKinds(pane, trace, query);
  await vi.advanceTimersByTimeAsync(1000);
  return requests.at(-1)!;
}

beforeEach(() => {
  vi.useFakeTimers();
  requests.length = 0;
});
afterEach(() => {
  askKinds(pane, traceOf(1), "");
  vi.useRealTimers();
});

it("shows no count of another query, and says that it counts", async () => {
  const trace = traceOf(1);
  expect(countedKinds(pane, trace, "a")).toEqual({ kinds: [], isCounting: true, failure: null });
  (await asks(trace, "a")).answer(7);
  await vi.advanceTimersByTimeAsync(0);
  const counted = countedKinds(pane, trace, "a");
  expect([counted.isCounting, counted.kinds.map(({ events }) => events)]).toEqual([false, [7n]]);
  expect(countedKinds(pane, trace, "ab")).toEqual({ kinds: [], isCounting: true, failure: null });
  const other = await asks(trace, "ab");
  expect(countedKinds(pane, trace, "ab")).toEqual({ kinds: [], isCounting: true, failure: null });
  askKinds(pane, trace, "");
  expect(other.signal.aborted).toBe(true);
  expect(kindsState(pane).searchKinds.value.kind).toBe("none");
});

it("keeps counts of a run that grows while they are counted anew", async () => {
  (await asks(traceOf(1), "b")).answer(7);
  await vi.advanceTimersByTimeAsync(0);
  const grown = traceOf(2);
  await asks(grown, "b");
  const counted = countedKinds(pane, grown, "b");
  expect([counted.isCounting, counted.kinds.length]).toEqual([true, 1]);
});

it("says why nothing is counted, and asks once more", async () => {
  const trace = traceOf(1);
  (await asks(trace, "c")).fail();
  await vi.advanceTimersByTimeAsync(0);
  expect(countedKinds(pane, trace, "c")).toEqual({ kinds: [], isCounting: false, failure: "The disk is gone" });
  expect(countedKinds(pane, trace, "d").failure).toBeNull();
});
