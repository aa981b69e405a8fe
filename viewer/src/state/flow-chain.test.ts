import type { ToolAnswer } from "@tilescope/client";
import { afterEach, expect, it } from "vitest";
import { column, table } from "../answers/made-up";
import { ChainLoader, chainView, placeIn, readChain } from "./flow-chain";

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
  const of = <K extends 0 | 1 | 2 | 3>(k: K) => rows.map((row) => row[k]);
  const columns = [
    column("event", "event", of(0)),
    column(
      "name",
      "name",
      rows.map(([event]) => `n${event}`),
    ),
    column("start", "time", of(1).map(String)),
    column(
      "duration",
      "ticks",
      rows.map(() => "7"),
    ),
    column("depth", "id", of(2)),
    column("parent", "id", of(3)),
  ];
  const notes = isCut ? [{ severity: "warning", text: "the chain goes on" }] : [];
  return { facts: [], tables: [table(columns, { id: "chain" })], series: [], notes } as unknown as ToolAnswer;
}

afterEach(() => {
  chainView.value = { kind: "none" };
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
  const asked: unknown[] = [];
  const loader = new ChainLoader(async ({ event }) => {
    asked.push(event);
    return answer(event === "1.5" ? ROWS : [["8.8", 1, 0, -1]]);
  });
  await loader.follow(1, 5);
  await loader.follow(0, 1);
  await loader.follow(2, 9);
  expect(asked).toEqual(["1.5"]);
  const now = chainView.value;
  expect(now.kind === "answered" && placeIn(now.answer, 2, 9)).toBe(4);
  await loader.follow(8, 8);
  expect(asked).toEqual(["1.5", "8.8"]);
  loader.close();
  expect(chainView.value.kind).toBe("none");
});
