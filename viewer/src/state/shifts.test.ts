import { type Group, type Manifest, Shifts, type Track, ticks } from "@tilescope/client";
import { expect, test } from "vitest";
import { formatTried, hostOf, hostShifts, parseTried, recordedRange, shiftsOfTracks } from "./shifts";

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
const manifest = { shifts: [{ host: "a", shiftTicks: -5n, origin: "measured" }] } as unknown as Manifest;
const tree = { manifest, groups, tracks };

test("all tracks of a host are shifted, whatever group of it they are in", () => {
  const shifts = shiftsOfTracks(tree, hostShifts(tree, new Map()))!;
  expect([...tracks.keys()].map((track) => shifts.later(track))).toEqual([-5n, -5n, 0n, 0n]);
  expect([0, 1, 2, 3].map((id) => hostOf(tree, id)?.name)).toEqual([undefined, "a", "a", "b"]);
});

test("what an address tries takes the place of what the run has, and says so", () => {
  const tried = parseTried("g1:0,g3:12,g0:9,no,g3");
  expect([...hostShifts(tree, tried)]).toEqual([
    [1, { shiftTicks: 0n, origin: "tried" }],
    [3, { shiftTicks: 12n, origin: "tried" }],
  ]);
  expect(hostShifts(tree, new Map()).get(1)).toEqual({ shiftTicks: -5n, origin: "measured" });
  expect(shiftsOfTracks(tree, hostShifts(tree, parseTried("g1:0")))).toBeNull();
  expect(formatTried(tried)).toBe("g1:0,g3:12,g0:9");
});

test("a span is asked about in the times of its tracks", () => {
  const shifts = new Shifts(new Map([[7, 30n]]));
  const range = { startTicks: ticks(100n), endTicks: ticks(200n) };
  expect(recordedRange(shifts, range, [7])).toEqual({
    range: { startTicks: 70n, endTicks: 170n },
    isMixed: false,
  });
  expect(recordedRange(shifts, range, [7, 8])).toEqual({ range, isMixed: true });
  expect(recordedRange(null, range, [7, 8])).toEqual({ range, isMixed: false });
});

test("a track has its ends where they are drawn", () => {
  const shifts = new Shifts(new Map([[7, 30n]]));
  const track = { id: 7, firstTicks: ticks(1n), lastTicks: ticks(9n) } as Track;
  expect(shifts.track(track)).toMatchObject({ firstTicks: 31n, lastTicks: 39n });
  const other = { ...track, id: 8 };
  expect(shifts.track(other)).toBe(other);
});
