import type { Group, Manifest, Track } from "@tilescope/client";
import { expect, test } from "vitest";
import { shiftsOfTracks } from "./shifts";

const group = (id: number, parent: number | null, kind: Group["kind"], name: string): Group => ({
  ...{ id, parent, kind, name, detail: "", rollup: null, missing: undefined },
});
const groups = new Map(
  [
    group(0, null, "run", "2 hosts"),
    group(1, 0, "host", "a"),
    group(2, 1, "process", "p"),
    group(3, 0, "host", "b"),
  ].map((entry) => [entry.id, entry]),
);
const tracks = new Map([1, 2, 3, 0].map((inside, id) => [id, { id, group: inside } as Track]));

test("all tracks of a host are shifted, whatever group of it they are in", () => {
  const manifest = { shifts: [{ host: "a", shiftTicks: -5n }] } as unknown as Manifest;
  const shifts = shiftsOfTracks({ manifest, groups, tracks });
  expect([...tracks.keys()].map((track) => shifts.later(track))).toEqual([-5n, -5n, 0n, 0n]);
});
