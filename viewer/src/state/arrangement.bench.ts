/** From a key in the filter to the layout, with as many tracks as a pod has: `npx vitest bench`. A frame has 16 ms for all. */

import type { Group, Track } from "@tilescope/client";
import { bench, describe } from "vitest";
import { arrange } from "./arrangement";
import { layOut } from "./layout";
import { AS_RECORDED, hide, moveBefore, pin } from "./track-choice";
import { allGroups, buildTree } from "./tree";

const TRACKS = 4096;
const PER_GROUP = 8;

const groups = Array.from({ length: TRACKS / PER_GROUP }, (_, id) => {
  return {
    id,
    parent: null,
    kind: "process",
    name: `Chip ${id}: TPU Core ${id % 2}`,
    detail: "",
    rollup: null,
  } as Group;
});
const tracks = Array.from({ length: TRACKS }, (_, id) => {
  const name = ["Steps", "XLA Modules", "XLA Ops", "Async XLA Ops"][id % 4];
  const facts = {
    kind: "slice",
    name,
    detail: `tid ${id}`,
    rows: 3,
    events: BigInt(id % 5),
    children: [],
    values: null,
  };
  return { id, group: Math.floor(id / PER_GROUP), ...facts } as unknown as Track;
});
const roots = buildTree({ groups, tracks });
const open = allGroups(roots);
const chosen = moveBefore(pin(hide(AS_RECORDED, "g7"), "t12"), roots, "g300", "g2");

describe(`${TRACKS} tracks, all groups open`, () => {
  for (const filter of ["", "x", "xla ops chip 4", "nothing"]) {
    bench(`filter “${filter}”`, () => {
      const { pinned, body } = arrange(roots, { ...chosen, filter });
      layOut(body, open, pinned, 400);
    });
  }
});
