import { type BuildApi, type Group, type Manifest, type Track, type TrackTree, ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { HEADER_PX, itemIndexAt, itemsBetween, layOut, ROW_PX, stickyHeader, TRACK_GAP_PX } from "./layout";
import { makeTrace } from "./trace";
import { allGroups, buildTree, carryOpen, defaultExpansion, filterHost, groupsOfHosts } from "./tree";

function group(
  id: number,
  parent: number | null,
  kind: "run" | "host" | "process",
  name: string,
  rollup: number | null = null,
): Group {
  return { id, parent, kind, name, detail: "", rollup, missing: undefined };
}

function track(id: number, groupId: number, rows: number, events: number, kind: Track["kind"] = "slice"): Track {
  return {
    id,
    group: groupId,
    kind,
    name: `track ${id}`,
    detail: "",
    rows,
    events: BigInt(events),
    busyTicks: ticks(0),
    lanes: 1,
    children: [],
    values: null,
  };
}

const ONE_HOST: TrackTree = {
  groups: [group(0, null, "host", "h"), group(1, 0, "process", "device", 0), group(2, 0, "process", "nothing", null)],
  tracks: [track(0, 1, 1, 7, "rollup"), track(1, 1, 2, 5), track(2, 1, 1, 2, "instant"), track(3, 2, 1, 0)],
};

const TWO_HOSTS: TrackTree = {
  groups: [
    group(0, null, "host", "a"),
    group(1, 0, "process", "p"),
    group(2, null, "host", "b"),
    group(3, 2, "process", "q"),
  ],
  tracks: [track(0, 1, 150, 1), track(1, 3, 100, 1)],
};

describe("buildTree", () => {
  it("leaves out the level of a single host, and shows a rollup as its group", () => {
    const roots = buildTree(ONE_HOST);
    expect(roots.map((node) => node.key)).toEqual(["g1", "g2"]);
    expect(roots[0]).toMatchObject({ depth: 0, events: 7n, rows: 3, trackCount: 2, isEmpty: false });
    expect(roots[0]?.kind === "group" && roots[0].rollup?.id).toBe(0);
    expect(roots[0]?.kind === "group" && roots[0].children.map((node) => node.key)).toEqual(["t1", "t2"]);
  });

  it("keeps hosts where there are several, and finds one", () => {
    const roots = buildTree(TWO_HOSTS);
    expect(roots.map((node) => node.key)).toEqual(["g0", "g2"]);
    expect(filterHost(roots, "b").map((node) => node.key)).toEqual(["g2"]);
    const run = {
      groups: [group(9, null, "run", "2 hosts"), ...TWO_HOSTS.groups.map((g) => ({ ...g, parent: g.parent ?? 9 }))],
    };
    const [inRun] = filterHost(buildTree({ ...TWO_HOSTS, ...run }), "b");
    expect([inRun?.depth, inRun?.kind === "group" && inRun.children.map(({ depth }) => depth)]).toEqual([0, [1]]);
    expect(filterHost(roots, "gone")).toBe(roots);
    expect(filterHost(roots, null)).toBe(roots);
  });

  it("opens what fills a few screens, and nothing that is empty", () => {
    expect([...defaultExpansion(buildTree(ONE_HOST))]).toEqual(["g1"]);
    expect([...defaultExpansion(buildTree(TWO_HOSTS))]).toEqual(["g0", "g1", "g2"]);
    expect([...allGroups(buildTree(TWO_HOSTS))]).toEqual(["g0", "g1", "g2", "g3"]);
    const kinds = new Map(TWO_HOSTS.groups.map(({ id, kind }) => [`g${id}`, kind]));
    const hosts = [...groupsOfHosts(buildTree(TWO_HOSTS))];
    expect(hosts.length).toBeGreaterThan(0);
    expect(hosts).toEqual([...kinds].filter(([, kind]) => kind === "host" || kind === "run").map(([key]) => key));
  });
});

describe("carryOpen", () => {
  const traceOf = (groups: Group[]) => makeTrace({} as Manifest, {} as BuildApi, { groups, tracks: [] });

  it("keeps what is open by name, and leaves new groups to the fallback", () => {
    const before = traceOf([group(0, null, "host", "h"), group(1, 0, "process", "p"), group(2, 0, "process", "q")]);
    const after = traceOf([
      group(0, null, "host", "h"),
      group(1, 0, "process", "new"),
      group(2, 0, "process", "p"),
      group(3, 0, "process", "q"),
      group(4, 0, "process", "other"),
    ]);
    const open = carryOpen(before, after, new Set(["g2"]), new Set(["g1", "g2"]));
    expect([...open]).toEqual(["g1", "g3"]);
  });
});

describe("layOut", () => {
  const roots = buildTree(ONE_HOST);
  const layout = layOut(roots, new Set(["g1"]));

  it("stacks headers and tracks in their natural heights", () => {
    expect(layout.items.map((item) => [item.key, item.topPx])).toEqual([
      ["g1", 0],
      ["t1", HEADER_PX],
      ["t2", HEADER_PX + 2 * ROW_PX + TRACK_GAP_PX],
      ["g2", layout.heightPx - HEADER_PX],
    ]);
  });

  it("finds items by height", () => {
    expect(itemIndexAt(layout, -1)).toBe(-1);
    expect(itemIndexAt(layout, 0)).toBe(0);
    expect(itemIndexAt(layout, HEADER_PX)).toBe(1);
    expect(itemIndexAt(layout, layout.heightPx)).toBe(-1);
    for (let y = 0; y < layout.heightPx; y++) {
      const item = layout.items[itemIndexAt(layout, y)]!;
      expect(y >= item.topPx && y < item.topPx + item.heightPx).toBe(true);
    }
  });

  it("cuts out what a window shows", () => {
    expect(itemsBetween(layout, 0, 1).map((item) => item.key)).toEqual(["g1"]);
    expect(itemsBetween(layout, HEADER_PX - 1, HEADER_PX + 1).map((item) => item.key)).toEqual(["g1", "t1"]);
    expect(itemsBetween(layout, 5000, 6000)).toEqual([]);
    expect(itemsBetween(layOut([], new Set()), 0, 100)).toEqual([]);
  });

  it("keeps a group's header at the top until the group ends", () => {
    expect(stickyHeader(layout, 0)).toBeNull(); // it is there itself, with its focus
    expect(stickyHeader(layout, 1)).toMatchObject({ item: { key: "g1" }, offsetPx: 0 });
    expect(stickyHeader(layout, HEADER_PX + 10)).toMatchObject({ item: { key: "g1" }, offsetPx: 0 });
    const endPx = layout.heightPx - HEADER_PX;
    expect(stickyHeader(layout, endPx - 10)).toMatchObject({ item: { key: "g1" }, offsetPx: 10 - HEADER_PX });
    expect(stickyHeader(layout, endPx + 1)).toBeNull();
  });
});
