import { ApiError, type EventDetails, NetworkError, Shifts, ticks } from "@tilescope/client";
import { afterEach, expect, it, vi } from "vitest";
import { retries } from "../state/link";
import { MOST_EVENTS } from "../state/location";
import { makePane } from "../state/pane";
import { pickedSlices, sumsOf } from "../state/picked-slices";
import { NOTHING } from "../state/selection";
import { followPicked, toggled } from "./picking";

const pane = makePane();

const event = (ordinal: number) => ({ track: 1, ordinal });

function details(track: number, ordinal: number): EventDetails {
  const flows = { in: [], inCount: 0n, out: [], outCount: 0n };
  const rest = { category: "", row: 0, flags: [], value: null, flows, args: [], stacks: [] };
  const times = { startTicks: ticks(100 * ordinal), durationTicks: ticks(10 * ordinal) };
  return { track, ordinal: BigInt(ordinal), kind: "slice", name: "a", ...times, ...rest };
}

afterEach(() => {
  pane.selection.value = NOTHING;
  pane.selectedRange.value = null;
});

it("adds to the selection and takes from it", () => {
  const first = toggled(NOTHING, event(1));
  expect(first).toEqual({ kind: "event", ...event(1) });
  const second = toggled(first!, event(2));
  expect(second).toEqual({ kind: "several", events: [event(1), event(2)] });
  expect(toggled(second!, event(1))).toEqual({ kind: "event", ...event(2) });
  expect(toggled(first!, event(1))).toEqual(NOTHING);
  const area = { kind: "area", range: { startTicks: ticks(0), endTicks: ticks(1) }, tracks: new Set([1]) } as const;
  expect(toggled(area, event(3))).toEqual({ kind: "event", ...event(3) });
  const full = { kind: "several", events: Array.from({ length: MOST_EVENTS }, (_, k) => event(k)) } as const;
  expect(toggled(full, event(MOST_EVENTS))).toBeNull();
  expect(toggled(full, event(0))).toMatchObject({ kind: "several" });
});

it("knows sum and span when it knows all of them, and asks for each once", async () => {
  const ask = vi.fn(async (track: number, ordinal: number) => {
    if (ordinal === 9) {
      throw new NetworkError("the server does not answer");
    }
    return details(track, ordinal);
  });
  const stop = followPicked(pane, { event: ask });
  pane.selection.value = { kind: "several", events: [event(3), event(1)] };
  expect(sumsOf(pickedSlices(pane).value, null)).toBeNull();
  await vi.waitUntil(() => sumsOf(pickedSlices(pane).value, null) !== null);
  const sums = { sumTicks: 40n, startTicks: 100n, endTicks: 330n, longestTicks: 30n, shortestTicks: 10n };
  expect(sumsOf(pickedSlices(pane).value, null)).toEqual(sums);
  expect(pane.selectedRange.value).toEqual({ startTicks: 100n, endTicks: 330n });
  const drawn = sumsOf(pickedSlices(pane).value, new Shifts(new Map([[1, 1000n]])));
  expect(drawn).toEqual({ ...sums, startTicks: 1100n, endTicks: 1330n });
  pane.selection.value = { kind: "several", events: [event(3), event(1), event(9)] };
  await vi.waitUntil(() => pickedSlices(pane).value[2]?.message !== "");
  expect(pickedSlices(pane).value.map(({ details }) => details !== null)).toEqual([true, true, false]);
  expect(ask).toHaveBeenCalledTimes(3);
  pane.selection.value = NOTHING;
  expect(pickedSlices(pane).value).toEqual([]);
  stop();
});

it("asks again for what did not come when the server is back, and not for what is refused for good", async () => {
  const ask = vi.fn(async (_track: number, ordinal: number) => {
    throw ordinal === 1 ? new ApiError(404, "not_found", "no such event") : new NetworkError("lost");
  });
  const stop = followPicked(pane, { event: ask });
  const all = () =>
    vi.waitUntil(
      () => pickedSlices(pane).value.length === 2 && pickedSlices(pane).value.every(({ message }) => message !== ""),
    );
  const events = [event(1), event(2)];
  pane.selection.value = { kind: "several", events };
  await all();
  retries.value += 1;
  await vi.waitUntil(() => ask.mock.calls.length === 3);
  await all();
  expect(ask.mock.calls.map(([, ordinal]) => ordinal)).toEqual([1, 2, 2]);
  expect(pickedSlices(pane).value[0]?.message).toBe("no such event");
  pane.selection.value = { kind: "several", events };
  await vi.waitUntil(() => ask.mock.calls.length === 5);
  stop();
});
