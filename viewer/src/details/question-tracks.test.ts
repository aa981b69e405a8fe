import type { Track } from "@tilescope/client";
import { expect, it } from "vitest";
import { rangesText } from "../state/ranges-text";
import { questionTracks } from "./question-tracks";

function track(id: number, kind: Track["kind"], children: readonly number[] = []): Track {
  return { id, kind, children } as unknown as Track;
}

/** `count` slice tracks of even numbers, a counter, and a rollup of the first half of the slices. */
function trackMap(count: number): ReadonlyMap<number, Track> {
  const slices = Array.from({ length: count }, (_, k) => track(2 * k, "slice"));
  const half = slices.slice(0, count / 2).map(({ id }) => id);
  const all = [...slices, track(2 * count, "counter"), track(2 * count + 1, "rollup", half)];
  return new Map(all.map((track) => [track.id, track]));
}

const isSlice = ({ kind }: Track): boolean => kind === "slice";

it("names tracks in ranges", () => {
  expect(rangesText([7, 1, 5, 6])).toBe("1,5-7");
  expect(rangesText([])).toBe("");
});

it("names none where all of the kind are meant, and tells where none is", () => {
  const tracks = trackMap(4);
  expect(questionTracks(tracks, new Set([0, 2, 4, 6]), isSlice)).toEqual({ kind: "all" });
  expect(questionTracks(tracks, new Set([8]), isSlice)).toEqual({ kind: "none" });
  expect(questionTracks(tracks, new Set([8]), ({ kind }) => kind === "counter")).toEqual({ kind: "all" });
});

it("takes rollups for the tracks that they sum", () => {
  expect(questionTracks(trackMap(4), new Set([9, 2, 6]), isSlice)).toEqual({ kind: "some", text: "0,2,6" });
});

it("names a group as a whole where its tracks are too many, and says where that does not help", () => {
  const tracks = trackMap(2000);
  const half = Array.from({ length: 1000 }, (_, k) => 2 * k);
  expect(questionTracks(tracks, new Set([...half, 2004]), isSlice)).toEqual({ kind: "some", text: "2004,4001" });
  const others = half.map((id) => id + 2000);
  expect(questionTracks(tracks, new Set(others), isSlice)).toEqual({ kind: "tooMany" });
});
