import type { Manifest, Track } from "@tilescope/client";
import { expect, test } from "vitest";
import { totalsOf } from "./totals";

function track(kind: Track["kind"], events: bigint): Track {
  return { kind, events } as Track;
}

test("rollups are no tracks of their own, and ends of flows no events on a track", () => {
  const events = { total: 16n, slices: 9n, asyncSlices: 0n, instants: 2n, counterSamples: 0n, flowEnds: 5n, other: 0n };
  const tracks = new Map([track("slice", 9n), track("instant", 2n), track("rollup", 11n)].entries());
  expect(totalsOf({ tracks, manifest: { events } as Manifest })).toEqual({
    events: 11n,
    tracks: 2,
    inFiles: [
      ["slices", 9n],
      ["instants", 2n],
      ["ends of flows, drawn as arrows", 5n],
    ],
  });
});
