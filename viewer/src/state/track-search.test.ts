import type { Group, Track } from "@tilescope/client";
import { expect, test } from "vitest";
import { findable, searchNames } from "./track-search";
import { buildTree } from "./tree";

const group = (id: number, name: string): Group => ({
  id,
  parent: null,
  kind: "process",
  name,
  detail: "",
  rollup: null,
  missing: undefined,
});
const track = (id: number, group: number, name: string) =>
  ({
    id,
    group,
    kind: "slice",
    name,
    detail: "",
    rows: 1,
    events: 0n,
    children: [],
    values: null,
  }) as unknown as Track;

const nodes = findable(
  buildTree({
    groups: [group(0, "Chip 0: TPU Core 0"), group(1, "Chip 1: TPU Core 0"), group(2, "python"), group(3, "nothing")],
    tracks: [
      track(0, 0, "XLA Ops"),
      track(1, 0, "Async XLA Ops"),
      track(2, 1, "XLA Ops"),
      track(3, 2, "worker-ops"),
      track(4, 2, "tool"),
    ],
  }),
);
const keys = (text: string, limit = 50) => searchNames(nodes, text, limit).map(({ node }) => node.key);

test("without words all are listed, as they stand in the tree, groups without tracks left out", () => {
  expect(keys("")).toEqual(["g0", "t0", "t1", "g1", "t2", "g2", "t3", "t4"]);
  expect(keys("  ", 2)).toEqual(["g0", "t0"]);
});

test("those that begin with it come first, then words in the name, then words around it", () => {
  expect(keys("xla").slice(0, 3)).toEqual(["t0", "t2", "t1"]);
  expect(keys("ops chip 1")[0]).toBe("t2");
  expect(keys("CHIP 1")[0]).toBe("g1");
  expect(keys("ops", 4)).toEqual(["t0", "t2", "t3", "t1"]);
});

test("a sentence about a thing is searched for its words, and not for scattered letters", () => {
  const pages = [
    { name: "Colour by name", path: [], help: "Each name has a colour of its own" },
    { name: "Memory viewer", path: [], help: "What a compiled program needs: lost one, or used by" },
  ];
  const names = (text: string) => searchNames(pages, text, 9).map(({ name }) => name);
  expect(names("colour by")).toEqual(["Colour by name"]);
  expect(names("clbynm")).toEqual(["Colour by name"]);
  expect(names("memory compiled")).toEqual(["Memory viewer"]);
});

test("letters in their order find it, too, behind those with the words", () => {
  expect(keys("wrkops")).toEqual(["t3"]);
  expect(keys("asxo")).toEqual(["t1"]);
  expect(keys("zzz")).toEqual([]);
});
