import { expect, test } from "vitest";
import { fitted, layOut, NODE_HEIGHT } from "./layout";
import { beside, familyOf, type GraphModel, type GraphNode } from "./model";

const node = (row: number, rest: Partial<GraphNode> = {}): GraphNode => ({
  row,
  name: `add.${row}`,
  opcode: "add",
  shape: "f32[4]",
  family: "other",
  share: null,
  distance: 0,
  inside: 0,
  isOpen: false,
  frame: -1,
  ...rest,
});

const MODEL: GraphModel = {
  nodes: [node(0, { isOpen: true, name: "fusion.1" }), node(1, { frame: 0 }), node(2, { frame: 0 }), node(3), node(4)],
  edges: [
    { source: 3, target: 1 },
    { source: 1, target: 2 },
    { source: 2, target: 4 },
  ],
  middle: 2,
};

test("operands lie above their users, and frames around what is in them", () => {
  const { boxes, paths, width, height } = layOut(MODEL);
  for (const { source, target } of MODEL.edges) {
    expect(boxes.get(source)!.y + NODE_HEIGHT).toBeLessThan(boxes.get(target)!.y);
  }
  const frame = boxes.get(0)!;
  for (const row of [1, 2]) {
    const { x, y, width: wide, height: high } = boxes.get(row)!;
    expect(x).toBeGreaterThan(frame.x);
    expect(y).toBeGreaterThan(frame.y);
    expect(x + wide).toBeLessThan(frame.x + frame.width);
    expect(y + high).toBeLessThan(frame.y + frame.height);
  }
  expect(paths).toHaveLength(3);
  for (const box of boxes.values()) {
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(width);
    expect(box.y + box.height).toBeLessThanOrEqual(height);
  }
});

test("a frame with nothing of it near is not drawn, and a node alone is", () => {
  const { boxes } = layOut({ nodes: [node(0, { isOpen: true }), node(1)], edges: [], middle: 1 });
  expect([...boxes.keys()]).toEqual([1]);
});

test("neighbours, families and texts", () => {
  expect(beside(MODEL, 2)).toEqual({ sources: [1], targets: [4] });
  expect(["fusion (kLoop)", "all-reduce", "dot", "parameter", "while", "add"].map(familyOf)).toEqual([
    "fusion",
    "collective",
    "compute",
    "data",
    "control",
    "other",
  ]);
  expect(fitted("abcdef", 4)).toBe("abc…");
  expect(fitted("abcd", 4)).toBe("abcd");
});
