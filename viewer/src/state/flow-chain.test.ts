import type { ToolAnswer } from "@tilescope/client";
import { afterEach, expect, it, vi } from "vitest";
import { column, table } from "../answers/test-tables";
import { ChainLoader, chainOf, chainView, placeIn, readChain } from "./flow-chain";
import { makePane } from "./pane";
import type { Trace } from "./trace";

const pane = makePane();

type Ask = Trace["api"]["ask"];

function trace(ask: Ask, revision = 1): Trace {
  return { manifest: { run: "r", build: "b", state: "indexing", revision }, api: { ask } } as unknown as Trace;
}

type Row = readonly [event: string, start: number, depth: number, parent: number];

/** As the tool lists it: each event above those that are a flow away from it. */
const ROWS: readonly Row[] = [
  ["1.5", 100, 0, -1],
  ["0.2", 40, -1, 0],
  ["0.1", 10, -2, 1],
  ["2.9", 300, 1, 0],
  ["2.7", 200, 1, 0],
];

function answer(rows: readonly Row[], isCut = false): ToolAnswer {
  const values = <K extends 0 | 1 | 2 | 3>(k: K) => rows.map((row) => row[k]);
  const columns = [
    column("event", "event", values(0)),
    column(
      "name",
      "name",
      rows.map(([event]) => `n${event}`),
    ),
    column("start", "time", values(1).map(String)),
    column(
      "duration",
      "ticks",
      rows.map(() => "7"),
    ),
    column("depth", "id", values(2)),
    column("parent", "id", values(3)),
  ];
  const notes = isCut ? [{ severity: "warning", text: "the chain goes on" }] : [];
  return { facts: [], tables: [table(columns, { id: "chain" })], series: [], notes } as unknown as ToolAnswer;
}

afterEach(() => {
  chainView(pane).value = { kind: "none" };
});

it("lists what leads to it first, then where it leads, by time; and from where to where flows go", () => {
  const { events, flows, isCut } = readChain(answer(ROWS));
  expect(events.map(({ track, ordinal, depth }) => [`${track}.${ordinal}`, depth])).toEqual([
    ["0.1", -2],
    ["0.2", -1],
    ["1.5", 0],
    ["2.7", 1],
    ["2.9", 1],
  ]);
  expect(flows).toEqual([
    { from: 0, to: 1 },
    { from: 1, to: 2 },
    { from: 2, to: 3 },
    { from: 2, to: 4 },
  ]);
  expect(isCut).toBe(false);
  expect(readChain(answer(ROWS, true)).isCut).toBe(true);
});

it("stays while one walks along it, and is asked for anew outside of it", async () => {
  const questions: unknown[] = [];
  const requester: Ask = async (_tool, { event } = {}) => {
    questions.push(event);
    return answer(event === "1.5" ? ROWS : [["8.8", 1, 0, -1]]);
  };
  const loader = new ChainLoader(pane);
  await loader.follow(trace(requester), 1, 5);
  await loader.follow(trace(requester), 0, 1);
  await loader.follow(trace(requester), 2, 9);
  expect(questions).toEqual(["1.5"]);
  const now = chainView(pane).value;
  expect(now.kind === "answered" && placeIn(now.answer, 2, 9)).toBe(4);
  await loader.follow(trace(requester), 8, 8);
  expect(questions).toEqual(["1.5", "8.8"]);
  loader.close();
  expect(chainView(pane).value.kind).toBe("none");
});

it("is of the build as far as it has grown: the one before is stale", async () => {
  const ask = vi.fn<Ask>(async () => answer(ROWS));
  const [before, now] = [trace(ask), trace(ask, 2)];
  const loader = new ChainLoader(pane);
  await loader.follow(before, 1, 5);
  expect(chainOf(chainView(pane).value, before.manifest, 0, 1)?.events).toHaveLength(ROWS.length);
  expect(chainOf(chainView(pane).value, now.manifest, 0, 1)).toBeNull();
  expect(loader.about(before, 0, 1).kind).toBe("answered");
  expect(loader.about(now, 0, 1)).toMatchObject({ kind: "waiting", stale: { answer: { isCut: false } } });
  await loader.follow(now, 0, 1);
  expect(ask).toHaveBeenCalledTimes(2);
  expect(loader.about(now, 0, 1).kind).toBe("answered");
});
