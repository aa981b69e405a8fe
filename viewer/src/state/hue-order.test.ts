import { type TileData, type Track, ticks } from "@tilescope/client";
import { Pyramid, sliceTiles } from "@tilescope/client/testing/pyramid";
import { describe, expect, it } from "vitest";
import { busyByName, findHueOrder, telling } from "./hue-order";
import type { Trace } from "./trace";

function track(id: number, name: string, busy: number, kind: Track["kind"] = "slice"): Track {
  const rest = { detail: "", group: 0, rows: 1, events: 1n, lanes: 1, children: [], values: null };
  return { id, name, kind, busyTicks: ticks(busy), ...rest };
}

describe("telling", () => {
  it("are the busiest of each name, slices alone", () => {
    const tracks = [track(0, "a", 5), track(1, "a", 9), track(2, "b", 7), track(3, "r", 99, "rollup")];
    expect(telling(tracks).map(({ id }) => id)).toEqual([1, 2]);
  });
});

const options = { rootLevel: 4, leafEvents: 10, tilesPerPage: 4 };
const events = Array.from({ length: 300 }, (_, k) => ({ start: 200 * k, duration: 10 + (k % 3), row: 0, name: k % 3 }));
const long = { start: 0, duration: 60_000, row: 1, name: 3 };
const tiles = new Pyramid(sliceTiles(0, [...events, long], options), 4).tiles();
const root = tiles.find(({ level }) => level === options.rootLevel) as TileData;

describe("busyByName", () => {
  it("counts individuals whole, and of bins what is known of them", () => {
    const busy = busyByName([root]);
    expect(busy.get(3)).toBe(60_000);
    expect(busy.get(2)).toBeGreaterThan(0.3 * 3300);
    expect(busy.get(2)).toBeLessThanOrEqual(3300);
  });
});

describe("findHueOrder", () => {
  it("puts families in the order of their busy time", async () => {
    const draw = { tile: root, clipStart: ticks(0), clipEnd: ticks(9), sharp: true };
    const client = {
      complete: async () => undefined,
      coverage: () => ({ draws: [draw], complete: true, missing: [] }),
    };
    const categories = ["kernel", "kernel", "", "main"];
    const names = {
      want: async () => undefined,
      get: (id: number) => (id === 1 ? undefined : { name: `copy.${id}`, category: categories[id]! }),
    };
    const trace = {
      tracks: new Map([[0, track(0, "t", 5)]]),
      manifest: { range: { startTicks: ticks(0), endTicks: ticks(60_000) } },
    } as unknown as Trace;
    expect(await findHueOrder(trace, client, names)).toEqual(["main", "copy", "kernel"]);
  });
});
