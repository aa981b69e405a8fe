import type { Group, Track } from "@tilescope/client";
import { describe, expect, test } from "vitest";
import { type Arrangement, arrange } from "./arrangement";
import { textsOf } from "./location-text";
import {
  AS_RECORDED,
  carryChoice,
  carryFolded,
  choiceOf,
  hide,
  moveBefore,
  pin,
  siblingsOf,
  unpin,
} from "./track-choice";
import { buildTree, type TreeNode, tracksOf } from "./tree";

function group(id: number, parent: number | null, name: string, kind: Group["kind"] = "process"): Group {
  return { id, parent, kind, name, detail: "", rollup: null, missing: undefined };
}

function track(id: number, group: number, name: string, events = 1n): Track {
  const facts = { group, kind: "slice", name, detail: `tid ${id}`, rows: 1, events, children: [], values: null };
  return { id, ...facts } as unknown as Track;
}

/** Two hosts, each with a TPU and a python process; the last group has no track. */
const groups = [
  group(0, null, "run", "run"),
  group(1, 0, "host-a", "host"),
  group(2, 1, "TPU 0"),
  group(3, 1, "python"),
  group(4, 0, "host-b", "host"),
  group(5, 4, "TPU 1"),
  group(6, 4, "nothing"),
];
const tracks = [
  track(0, 2, "Steps"),
  track(1, 2, "XLA Ops"),
  track(2, 2, "XLA Modules", 0n),
  track(3, 3, "main"),
  track(4, 3, "worker"),
  track(5, 5, "Steps"),
  track(6, 5, "XLA Ops"),
  track(7, 5, "idle", 0n),
];
const roots = buildTree({ groups, tracks });
const run = {
  tracks: new Map(tracks.map((track) => [track.id, track])),
  groups: new Map(groups.map((group) => [group.id, group])),
};
const ALL = { ...AS_RECORDED, showsEmpty: true };

const idsOf = (nodes: readonly TreeNode[]) => nodes.flatMap(tracksOf).map(({ id }) => id);
const shown = (choice: typeof AS_RECORDED) => {
  const { pinned, body } = arrange(roots, choice);
  return [idsOf(pinned), idsOf(body)];
};

test("a host of shards that is not there stays, unless it is hidden or filtered out", () => {
  const missing = { ...group(9, 0, "host-c", "host"), missing: "it could not be opened within 20 s" };
  const withMissing = buildTree({ groups: [...groups, missing], tracks });
  const isShown = (choice: typeof AS_RECORDED) => {
    const [top] = arrange(withMissing, choice).body;
    return top?.kind === "group" && top.children.some(({ key }) => key === "g9");
  };
  expect(isShown(AS_RECORDED)).toBe(true);
  expect(isShown({ ...AS_RECORDED, filter: "host-c" })).toBe(true);
  expect(isShown({ ...AS_RECORDED, filter: "TPU" })).toBe(false);
  expect(isShown(hide(AS_RECORDED, "g9"))).toBe(false);
  expect(arrange(withMissing, AS_RECORDED).emptyGroups).toBe(arrange(roots, AS_RECORDED).emptyGroups);
});

describe("what is shown", () => {
  test("is all but what is empty, and that, too, where one wants it", () => {
    expect(shown(AS_RECORDED)).toEqual([[], [0, 1, 3, 4, 5, 6]]);
    expect(arrange(roots, AS_RECORDED)).toMatchObject({
      counts: { all: 8, shown: 6, empty: 2, hidden: 0, unmatched: 0 },
      emptyGroups: 1,
    });
    expect(arrange(roots, ALL)).toMatchObject({ body: roots, counts: { shown: 8 }, emptyGroups: 0 });
  });

  test("has all words of the filter in its name and those around it, in any case and order", () => {
    const matches = (filter: string) => shown({ ...ALL, filter })[1];
    expect(matches("xla")).toEqual([1, 2, 6]);
    expect(matches("  ops tpu ")).toEqual([1, 6]);
    expect(matches("OPS host-b")).toEqual([6]);
    expect(matches("python")).toEqual([3, 4]);
    expect(matches("xla python")).toEqual([]);
    expect(arrange(roots, { ...AS_RECORDED, filter: "steps" }).counts).toEqual({
      ...{ all: 8, shown: 2, empty: 2, hidden: 0, unmatched: 4 },
    });
  });

  test("is not hidden, nor in a hidden group, except for what is pinned", () => {
    const choice = pin(hide(hide(ALL, "g1"), "t6"), "t1");
    expect(shown(choice)).toEqual([[1], [5, 7]]);
    expect(arrange(roots, choice).hidden.map(({ key }) => key)).toEqual(["g1", "t6"]);
    expect(arrange(roots, choice).counts).toEqual({ all: 8, shown: 3, hidden: 5, empty: 0, unmatched: 0 });
  });

  test("stands at the top when it is pinned, in the order of the pins and whatever is looked for", () => {
    const choice = { ...pin(pin(ALL, "t6"), "g3"), filter: "steps" };
    expect(shown(choice)).toEqual([
      [6, 3, 4],
      [0, 5],
    ]);
    expect(arrange(roots, choice).pinned.map(({ key, depth }) => [key, depth])).toEqual([
      ["t6", 0],
      ["g3", 0],
    ]);
    expect(shown(unpin(unpin(choice, "t6"), "g3"))).toEqual([[], [0, 5]]);
  });

  test("says of a group how much of it is left", () => {
    const [run] = arrange(roots, hide(ALL, "t0")).body;
    expect(run).toMatchObject({ trackCount: 8, shownCount: 7 });
  });
});

describe("what is moved", () => {
  test("stands where it was put among its siblings, and the others as they were", () => {
    expect(moveBefore(ALL, roots, "t2", "t0").order).toEqual(["t2"]);
    expect(shown(moveBefore(ALL, roots, "t2", "t0"))[1]).toEqual([2, 0, 1, 3, 4, 5, 6, 7]);
    expect(shown(moveBefore(ALL, roots, "t0", null))[1]).toEqual([1, 2, 0, 3, 4, 5, 6, 7]);
    expect(shown(moveBefore(ALL, roots, "g4", "g1"))[1]).toEqual([5, 6, 7, 0, 1, 2, 3, 4]);
    const there = moveBefore(ALL, roots, "t2", "t0");
    expect(moveBefore(there, roots, "t2", null).order).toEqual([]);
    expect(moveBefore(ALL, roots, "t2", "t2")).toBe(ALL);
  });

  test("is moved among the pins when it is pinned", () => {
    const choice = pin(pin(pin(ALL, "t6"), "t1"), "t3");
    expect(moveBefore(choice, roots, "t3", "t6").pinned).toEqual(["t3", "t6", "t1"]);
    expect(moveBefore(choice, roots, "t6", null).pinned).toEqual(["t1", "t3", "t6"]);
  });
});

/** Numbers that look random and are always the same. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state >> 8;
  }
}

/** A choice made of many changes, as a person makes them one after the other. */
function someChoice(seed: number) {
  const random = numbers(seed);
  const pick = <T>(list: readonly T[]): T => list[random.next().value % list.length]!;
  const keys = [...tracks.map(({ id }) => `t${id}`), ...groups.slice(1).map(({ id }) => `g${id}`)];
  let choice = { ...AS_RECORDED, showsEmpty: pick([true, false]), filter: pick(["", "", "xla", "tpu s"]) };
  for (let step = 0; step < 12; step++) {
    const key = pick(keys);
    const siblings = [...siblingsOf(roots, key).map((node) => node.key), null];
    const changes = [hide(choice, key), pin(choice, key), unpin(choice, key)];
    choice = pick([...changes, moveBefore(choice, roots, key, pick(siblings)), moveBefore(choice, roots, key, null)]);
  }
  return choice;
}

function everywhere({ pinned, body }: Arrangement): readonly number[] {
  return [...idsOf(pinned), ...idsOf(body)];
}

describe("whatever is chosen", () => {
  test("each track is in exactly one place or counted as left out", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const arranged = arrange(roots, someChoice(seed));
      const { all, shown: visible, hidden, empty, unmatched } = arranged.counts;
      expect(all).toBe(tracks.length);
      expect(visible + hidden + empty + unmatched).toBe(all);
      expect(everywhere(arranged)).toHaveLength(visible);
      expect(new Set(everywhere(arranged)).size).toBe(visible);
    }
  });

  test("an address says it, and brings back the same", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const choice = someChoice(seed);
      expect(choiceOf(textsOf(choice), run)).toEqual({ choice, unknown: 0 });
    }
  });

  test("a tree that has grown keeps it, under other ids", () => {
    const grown = {
      groups: new Map(
        groups.map((group) => [
          group.id + 10,
          { ...group, id: group.id + 10, parent: group.parent === null ? null : group.parent + 10 },
        ]),
      ),
      tracks: new Map(
        tracks.map((track) => [track.id + 100, { ...track, id: track.id + 100, group: track.group + 10 }]),
      ),
    };
    const moved = (key: string) =>
      key.startsWith("g") ? `g${Number(key.slice(1)) + 10}` : `t${Number(key.slice(1)) + 100}`;
    for (let seed = 1; seed <= 50; seed++) {
      const choice = someChoice(seed);
      const carried = carryChoice(run, grown, choice);
      expect(carried.pinned).toEqual(choice.pinned.map(moved));
      expect(carried.order).toEqual(choice.order.map(moved));
      expect(carried.hidden).toEqual(new Set([...choice.hidden].map(moved)));
    }
    const folded = new Map([...run.tracks.keys()].map((track) => [track, 1 + track]));
    const carried = carryFolded(run, grown, folded);
    expect(carried).toEqual(new Map([...folded].map(([track, rows]) => [track + 100, rows])));
    expect(carryFolded(grown, run, carried)).toEqual(folded);
  });
});

test("what an address names and the run does not have is counted and left out", () => {
  const texts = { filter: "", pin: "1.99", hide: "2.g77", order: "5-6.100", empty: false, lanes: null };
  expect(choiceOf(texts, run)).toMatchObject({ choice: { pinned: ["t1"], order: ["t5", "t6"] }, unknown: 3 });
  expect(choiceOf({ ...texts, pin: "2" }, run).choice).toMatchObject({ pinned: ["t2"], hidden: new Set() });
});
