import type { ToolAnswer } from "@tilescope/client";
import { expect, test } from "vitest";
import { column, PLAIN, table } from "../../answers/test-tables";
import { layOut } from "../graph/layout";
import { curveOf, OPERATIONS, operationOf, pipelineModel, QUEUES, SAMPLES } from "./model";

/** Batch takes from a shuffle, which takes from two readers; the root has no queue. */
function answer(links: readonly (readonly [number, number, number | null])[]): ToolAnswer {
  const operations = table(
    [
      column("operation", "name", ["Batch_0", "Shuffle_1", "TFReader_2", "TFReader_3"]),
      column("number", "id", [0, 1, 2, 3]),
      column("workers", "count", ["4", "1", "4", null]),
      column("verdict", "text", [null, null, "bottleneck", null]),
    ],
    { id: OPERATIONS },
  );
  const queues = table(
    [
      column(
        "source",
        "id",
        links.map(([source]) => source),
      ),
      column(
        "target",
        "id",
        links.map(([, target]) => target),
      ),
      column(
        "usage",
        "fraction",
        links.map(([, , usage]) => usage),
      ),
    ],
    { id: QUEUES },
  );
  const samples = {
    id: SAMPLES,
    title: "Queues",
    kind: "line",
    ...PLAIN,
    x: column("sample", "count", ["1", "2"]),
    ys: [column("queue_1", "count", ["1", "2"]), column("queue_2", "count", ["3", "4"])],
  };
  return {
    facts: [],
    tables: [operations, queues],
    series: [samples],
    notes: [],
    complete: true,
  } as unknown as ToolAnswer;
}

const TREE = [
  [1, 0, 0.5],
  [2, 1, 0.004],
  [3, 1, 1],
] as const;

test("a queue lies between an operation and the one that takes from it", () => {
  const model = pipelineModel(answer(TREE))!;
  expect(model.nodes.map(({ name, opcode }) => `${name} ${opcode}`)).toEqual([
    "Batch_0 workers: 4",
    "Shuffle_1 workers: 1",
    "TFReader_2 workers: 4",
    "TFReader_3 ",
    "Queue 50 % filled",
    "Queue <1 % filled",
    "Queue 100 % filled",
  ]);
  expect(model.edges.map(({ source, target }) => [source, target])).toEqual([
    [1, 4],
    [4, 0],
    [2, 5],
    [5, 1],
    [3, 6],
    [6, 1],
  ]);
  expect([...model.queueRows]).toEqual([
    [4, 0],
    [5, 1],
    [6, 2],
  ]);
});

test("the bottleneck is in the middle, and stands out", () => {
  const model = pipelineModel(answer(TREE))!;
  expect(model.middle).toBe(2);
  expect(model.nodes.filter(({ family }) => family === "invalid").map(({ row }) => row)).toEqual([2]);
  expect(model.nodes.map(({ opcode, shape }) => `${opcode} ${shape}`)[2]).toBe("workers: 4 · bottleneck");
});

test("a queue opens its own curve, and so does the operation before it", () => {
  const shown = answer(TREE);
  const model = pipelineModel(shown)!;
  expect(operationOf(model, 5)).toBe(2);
  for (const row of [5, 2]) {
    const curve = curveOf(shown, model, row)!;
    expect(curve.ys.map(({ values }) => values)).toEqual([["3", "4"]]);
    expect(curve.title).toBe("Queue behind TFReader_2 over samples");
  }
  expect(curveOf(shown, model, 6)).toBeNull();
  expect(curveOf(shown, model, 0)).toBeNull();
});

test("queues that were not recorded are edges, and the one of the last operation has no other end", () => {
  const model = pipelineModel(
    answer([
      [1, 0, null],
      [0, -1, 0.25],
    ]),
  )!;
  expect(model.nodes.length).toBe(5);
  expect(model.edges).toEqual([
    { source: 1, target: 0 },
    { source: 0, target: 4 },
  ]);
});

test("a queue that two operations take from is one node", () => {
  const model = pipelineModel(
    answer([
      [3, 0, 0.25],
      [3, 1, 0.25],
    ]),
  )!;
  expect(model.nodes.length).toBe(5);
  expect(model.edges).toEqual([
    { source: 3, target: 4 },
    { source: 4, target: 0 },
    { source: 4, target: 1 },
  ]);
});

test("operations that take from each other in a circle are laid out all the same", () => {
  const place = layOut(
    pipelineModel(
      answer([
        [0, 1, 0.5],
        [1, 0, 0.5],
      ]),
    )!,
  );
  expect(place.boxes.size).toBe(6);
});

test("an answer without operations has no picture", () => {
  expect(pipelineModel({ ...answer(TREE), tables: [] })).toBeNull();
});
