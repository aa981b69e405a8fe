import { type PageKey, pageName, TileClient, ticks } from "@tilescope/client";
import { type EventInput, Pyramid, sliceTiles } from "@tilescope/client/testing/pyramid";
import { Random } from "@tilescope/client/testing/random";
import { describe, expect, it, vi } from "vitest";
import { type Direction, neighbourOf } from "./navigate";
import type { RowSlice, TrackTiles } from "./row-search";

const NOTHING_DRAWN = {
  coverage: { draws: [], complete: false, missing: [] },
  range: { startTicks: ticks(0), endTicks: ticks(0) },
};
const DIRECTIONS: readonly Direction[] = ["next", "previous", "parent", "child"];

/** Calls within calls, with gaps between them that are now and then very long. */
function nested(random: Random, count: number): EventInput[] {
  const out: EventInput[] = [];
  let time = 0;
  const call = (row: number): void => {
    const event = { start: time, duration: 0, row, name: 0 };
    out.push(event);
    time += 1 + random.below(3);
    while (row < 4 && out.length < count && random.below(10) < 5) {
      call(row + 1);
    }
    time += random.below(4);
    event.duration = time - event.start;
    time += random.below(20) === 0 ? random.below(20_000) : random.below(3);
  };
  while (out.length < count) {
    call(0);
  }
  return out;
}

function setUp(events: readonly EventInput[], rootLevel: number) {
  const pyramid = new Pyramid(sliceTiles(3, events, { rootLevel, leafEvents: 8, tilesPerPage: 1 }), 1);
  const fetchPage = vi.fn(async (key: PageKey) => pyramid.pages.get(pageName(key))!.bytes);
  const client = new TileClient({
    rootLevel,
    loadShape: async () => pyramid.shape(),
    connect: () => {
      throw new Error("not used");
    },
    fetchPage,
    onChange: () => undefined,
    createStream: () => ({
      ...{
        want: () => undefined,
        forgetFailures: () => undefined,
        ping: () => false,
        reconnect: () => undefined,
        close: () => undefined,
      },
    }),
    budgetBytes: 0, // nothing is kept: all that is looked at is counted
  });
  const tilesFor = (signal: AbortSignal): TrackTiles => ({
    tile: (level, index) => client.load({ track: 3, level, index }, signal),
    leafAt: (tick) => client.loadLeaf(3, ticks(tick), signal),
  });
  const ordered = [...events].sort((a, b) => a.start - b.start || b.duration - a.duration);
  const slices: RowSlice[] = ordered.map(({ start, duration, row }, ordinal) => {
    return { ordinal, row, startTicks: BigInt(start), endTicks: BigInt(start + duration) };
  });
  return { slices, fetchPage, tilesFor };
}

function expected(slices: readonly RowSlice[], from: RowSlice, direction: Direction): RowSlice | null {
  const after = slices.slice(from.ordinal + 1);
  const before = slices.slice(0, from.ordinal);
  const neighbours = {
    next: () => after.find(({ row }) => row === from.row),
    previous: () => before.findLast(({ row }) => row === from.row),
    parent: () => before.find(({ row, endTicks }) => row === from.row - 1 && endTicks >= from.endTicks),
    child: () => after.find(({ row, startTicks }) => row === from.row + 1 && startTicks < from.endTicks),
  };
  return neighbours[direction]() ?? null;
}

describe("neighbours in the tile tree", () => {
  it.each([1, 2, 3])("are those of the events themselves, for few tiles (seed %i)", async (seed) => {
    const { slices, fetchPage, tilesFor } = setUp(nested(new Random(seed), 200), 6);
    const tiles = tilesFor(new AbortController().signal);
    for (const from of slices) {
      for (const direction of DIRECTIONS) {
        fetchPage.mockClear();
        const neighbour = await neighbourOf(from, direction, NOTHING_DRAWN, tiles);
        expect(neighbour, `${direction} of ${from.ordinal}`).toEqual(expected(slices, from, direction));
        expect(fetchPage.mock.calls.length).toBeLessThanOrEqual(2 * 6 + 2);
      }
    }
  });

  it("are found across a thousand events of other rows, in a dozen tiles", async () => {
    const inner = Array.from({ length: 1000 }, (_, k) => ({ start: 2 * k + 1, duration: 1, row: 1, name: 0 }));
    const outer = [0, 4000].map((start) => ({ start, duration: 2100, row: 0, name: 0 }));
    const far = { start: 200_000, duration: 1, row: 1, name: 0 };
    const { slices, fetchPage, tilesFor } = setUp([...inner, ...outer, far], 5);
    const tiles = tilesFor(new AbortController().signal);
    const row = (wanted: number) => slices.filter((slice) => slice.row === wanted);
    expect(await neighbourOf(row(0)[0]!, "next", NOTHING_DRAWN, tiles)).toEqual(row(0)[1]);
    expect(await neighbourOf(row(0)[1]!, "previous", NOTHING_DRAWN, tiles)).toEqual(row(0)[0]);
    expect(await neighbourOf(row(1)[999]!, "next", NOTHING_DRAWN, tiles)).toEqual(row(1)[1000]);
    expect(await neighbourOf(row(1)[1000]!, "next", NOTHING_DRAWN, tiles)).toBeNull();
    expect(fetchPage.mock.calls.length).toBeLessThanOrEqual(4 * 12);
  });

  it("are given up when nobody wants them any more, and fail when the network does", async () => {
    const { slices, fetchPage, tilesFor } = setUp(nested(new Random(4), 100), 6);
    const controller = new AbortController();
    const search = neighbourOf(slices[0]!, "next", NOTHING_DRAWN, tilesFor(controller.signal));
    controller.abort();
    await expect(search).rejects.toThrow(/abort/i);
    fetchPage.mockRejectedValue(new Error("the server does not answer"));
    const failed = neighbourOf(slices[0]!, "next", NOTHING_DRAWN, tilesFor(new AbortController().signal));
    await expect(failed).rejects.toThrow("the server does not answer");
  });
});
