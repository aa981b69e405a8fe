import { expect, it } from "vitest";
import { candidateTracks } from "./candidate-tracks";

const SHOWN = [4, 1, 7, 2, 9, 3];

it("has what lies between the tracks of an area, in the order of the timeline, each once", () => {
  expect(candidateTracks(SHOWN, new Set([2, 1]), new Set())).toEqual([1, 7, 2]);
  expect(candidateTracks(SHOWN, new Set([9]), new Set())).toEqual([9]);
});

it("keeps what was unticked, also at the ends, and what is not shown", () => {
  expect(candidateTracks(SHOWN, new Set([7]), new Set([1, 7, 2]))).toEqual([1, 7, 2]);
  expect(candidateTracks(SHOWN, new Set([7, 50]), new Set([60]))).toEqual([7, 50, 60]);
  expect(candidateTracks([], new Set([5]), new Set())).toEqual([5]);
});
