import { expect, test } from "vitest";
import { TrackOrder } from "./track-order";
import type { TreeNode } from "./tree";

const track = (id: number) => ({ kind: "track", track: { id } }) as TreeNode;
const group = (...children: TreeNode[]) => ({ kind: "group", children, rollup: { id: 99 } }) as unknown as TreeNode;

/** As a person sees them: 7, 3, 5, 1. */
const order = new TrackOrder([group(track(7), group(track(3), track(5))), track(1)]);

test("a span is of what lies between, in the order of the tree and not of the numbers", () => {
  expect([...order.tracksOf({ firstTrack: 3, lastTrack: 1 })]).toEqual([3, 5, 1]);
  expect([...order.tracksOf({ firstTrack: 7, lastTrack: 7 })]).toEqual([7]);
  expect([...order.tracksOf({ firstTrack: 1, lastTrack: 3 })]).toEqual([]);
});

test("the span of some tracks goes from the upmost to the lowest of them", () => {
  expect(order.spanOf([1, 5])).toEqual({ firstTrack: 5, lastTrack: 1 });
  expect(order.spanOf([5, 99])).toEqual({ firstTrack: 5, lastTrack: 5 });
  expect(order.spanOf([99])).toBeNull();
  expect(order.all).toEqual({ firstTrack: 7, lastTrack: 1 });
  expect(new TrackOrder([]).all).toBeNull();
});

test("a track that is not in the tree is in no span", () => {
  expect(order.tracksOf({ firstTrack: 7, lastTrack: 42 }).size).toBe(0);
});

test("there may be as many tracks as a pod has", () => {
  const many = new TrackOrder(Array.from({ length: 300_000 }, (_, id) => track(id)));
  expect(many.all).toEqual({ firstTrack: 0, lastTrack: 299_999 });
});
