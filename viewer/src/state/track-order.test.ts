import { expect, test } from "vitest";
import { TrackOrder } from "./track-order";
import type { TreeNode } from "./tree";

const track = (id: number) => ({ kind: "track", track: { id } }) as TreeNode;
const group = (...children: TreeNode[]) => ({ kind: "group", children, rollup: { id: 99 } }) as unknown as TreeNode;

/** As a person sees them: 7, 3, 5, 1. */
const order = new TrackOrder([group(track(7), group(track(3), track(5))), track(1)]);

test("from the upmost to the lowest, in the order of the tree and not of the numbers", () => {
  expect(order.between([3, 1])).toEqual([3, 5, 1]);
  expect(order.between([1, 3])).toEqual([3, 5, 1]);
  expect(order.between([7])).toEqual([7]);
  expect(order.between([1, 7])).toEqual([7, 3, 5, 1]);
});

test("a track that is not in the tree does not count", () => {
  expect(order.between([5, 42])).toEqual([5]);
  expect(order.between([42])).toEqual([]);
  expect(order.between([])).toEqual([]);
  expect(new TrackOrder([]).between([1])).toEqual([]);
});

test("there may be as many tracks as a pod has", () => {
  const many = new TrackOrder(Array.from({ length: 300_000 }, (_, id) => track(id)));
  expect(many.between([0, 299_999])).toHaveLength(300_000);
});
