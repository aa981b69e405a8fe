import { ApiError, NetworkError, type TileData, type TileName, ticks } from "@tilescope/client";
import { drawsOf, viewOf } from "@tilescope/client/testing/draw";
import { sliceTiles } from "@tilescope/client/testing/pyramid";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ExactLoader, forgetFailures, isUnknown } from "./exact";
import { makePane } from "./pane";
import { type BinFacts, NOTHING } from "./selection";

const pane = makePane();

const OPTIONS = { rootLevel: 3, leafEvents: 20, tilesPerPage: 4 };
const crowd = Array.from({ length: 400 }, (_, k) => ({ start: 40 * k, duration: 16, row: 0, name: 0 }));
const [draw] = drawsOf(sliceTiles(0, crowd, OPTIONS), viewOf(0, 64, 256), OPTIONS, "slice", true);
const tile: TileData = draw!.tile;

function bin(number: number, more: Partial<BinFacts> = {}): BinFacts {
  const place = {
    track: 0,
    level: 3,
    index: 0,
    row: 0,
    place: number,
    startTicks: ticks(64 * number),
    widthTicks: ticks(64),
  };
  return { ...place, count: 1, name: 0, share: 1, exact: null, ...more };
}

/** Exact sums of bin 5. */
const sums = { busyTicks: ticks(32), longestTicks: ticks(16) };
const load = vi.fn<(tile: TileName) => Promise<TileData>>();

beforeEach(() => {
  vi.useFakeTimers();
  load.mockReset().mockResolvedValue(tile);
  pane.selection.value = NOTHING;
  forgetFailures(pane, true);
});

afterEach(() => vi.useRealTimers());

describe("pointing at a bin", () => {
  it("asks for the sums of its tile after a moment, once", async () => {
    const loader = new ExactLoader(pane, load);
    loader.point(bin(1));
    expect(load).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    loader.point(bin(1));
    loader.point(bin(2));
    await vi.advanceTimersByTimeAsync(50);
    expect(load).toHaveBeenCalledExactlyOnceWith(bin(2));
    loader.point(bin(2));
    await vi.advanceTimersByTimeAsync(500);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("asks for nothing on the way to somewhere else, or of what is known", async () => {
    const loader = new ExactLoader(pane, load);
    for (let track = 0; track < 20; track++) {
      loader.point(bin(1, { track }));
      await vi.advanceTimersByTimeAsync(20);
    }
    loader.point(bin(3, { exact: sums }));
    await vi.advanceTimersByTimeAsync(500);
    loader.point(bin(3));
    loader.point(null);
    await vi.advanceTimersByTimeAsync(500);
    expect(load).not.toHaveBeenCalled();
  });

  it("says what could not be had, and tries again with the next bin or the next time", async () => {
    const loader = new ExactLoader(pane, load);
    load.mockRejectedValue(new NetworkError("offline"));
    const look = async (pointed: BinFacts) => {
      loader.point(pointed);
      await vi.advanceTimersByTimeAsync(100);
      return isUnknown(pane, pointed);
    };
    expect(isUnknown(pane, bin(1))).toBe(false);
    expect(await look(bin(1))).toBe(true);
    // As long as the pointer rests, nothing is asked again.
    expect(await look(bin(1))).toBe(true);
    expect(load).toHaveBeenCalledTimes(1);
    expect(await look(bin(2))).toBe(true);
    loader.point(null);
    expect(await look(bin(2))).toBe(true);
    expect(load).toHaveBeenCalledTimes(3);
    load.mockResolvedValue(tile);
    expect(await look(bin(3))).toBe(false);
    expect(isUnknown(pane, bin(1))).toBe(false);
  });

  it("asks no more for what was refused for good, be it that the server is back, but for a person who selects it", async () => {
    const loader = new ExactLoader(pane, load);
    load.mockRejectedValue(new ApiError(404, "not_found", "no such page"));
    for (const number of [1, 2, 3]) {
      loader.point(bin(number));
      await vi.advanceTimersByTimeAsync(100);
      forgetFailures(pane, false);
    }
    expect([isUnknown(pane, bin(1)), load.mock.calls.length]).toEqual([true, 1]);
    loader.select({ kind: "bin", bin: bin(1) }, true);
    expect(load).toHaveBeenCalledTimes(1);
    loader.select({ kind: "bin", bin: bin(1) });
    expect(load).toHaveBeenCalledTimes(2);
  });

  it("asks again when what was known has left the memory", async () => {
    const loader = new ExactLoader(pane, load);
    for (const exact of [null, sums, null]) {
      loader.point(bin(1, { exact }));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(load).toHaveBeenCalledTimes(2);
  });
});

describe("a selected bin", () => {
  it("is told its sums at once", async () => {
    pane.selection.value = { kind: "bin", bin: bin(5) };
    new ExactLoader(pane, load).select(pane.selection.value);
    expect(load).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(pane.selection.value).toEqual({ kind: "bin", bin: bin(5, { exact: sums }) });
    new ExactLoader(pane, load).select(pane.selection.value);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it.each([0, 1])("is told them later, when pointing at tile %i succeeds", async (index) => {
    const loader = new ExactLoader(pane, load);
    load.mockRejectedValueOnce(new NetworkError("offline"));
    const chosen = { kind: "bin", bin: bin(5) } as const;
    pane.selection.value = chosen;
    loader.select(chosen);
    await vi.advanceTimersByTimeAsync(0);
    expect([pane.selection.value, isUnknown(pane, chosen.bin)]).toEqual([chosen, true]);
    loader.point(bin(9, { index }));
    await vi.advanceTimersByTimeAsync(100);
    expect(pane.selection.value).toEqual({ kind: "bin", bin: bin(5, { exact: sums }) });
  });

  it("is left alone when something else has been selected meanwhile", async () => {
    const loader = new ExactLoader(pane, load);
    loader.select({ kind: "bin", bin: bin(5) });
    const other = { kind: "bin", bin: bin(5, { track: 7 }) } as const;
    pane.selection.value = other;
    await vi.advanceTimersByTimeAsync(0);
    expect(pane.selection.value).toBe(other);
  });
});
