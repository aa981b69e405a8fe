import type { Track } from "@tilescope/client";
import { expect, test } from "vitest";
import { HEADER_PX, layOut, ROW_PX, TRACK_GAP_PX } from "../state/layout";
import { buildTree } from "../state/tree";
import { dropPlace } from "./tree-drop";

const group = (id: number) =>
  ({ id, parent: null, kind: "process", name: `p${id}`, detail: "", rollup: null, missing: undefined }) as const;
const track = (id: number, group: number) =>
  ({
    id,
    group,
    kind: "slice",
    name: "",
    detail: "",
    rows: 1,
    events: 1n,
    children: [],
    values: null,
  }) as unknown as Track;

/** p0 with tracks 0 and 1, p1 with 2, 3 and 4; p0 is open. */
const roots = buildTree({
  groups: [group(0), group(1)],
  tracks: [track(0, 0), track(1, 0), track(2, 1), track(3, 1), track(4, 1)],
});
const TRACK_PX = ROW_PX + TRACK_GAP_PX;

test("a track goes between its siblings, and not beside where it is", () => {
  const layout = layOut(roots, new Set(["g0", "g1"]));
  const firstPx = layout.items.find(({ key }) => key === "t2")!.topPx;
  const keys = ["t2", "t3", "t4"];
  expect(dropPlace(layout, keys, "t4", firstPx - 500)).toEqual({ before: "t2", lineYPx: firstPx });
  expect(dropPlace(layout, keys, "t4", firstPx + TRACK_PX + 3)).toEqual({ before: "t3", lineYPx: firstPx + TRACK_PX });
  expect(dropPlace(layout, keys, "t2", firstPx + 900)).toEqual({ before: null, lineYPx: firstPx + 3 * TRACK_PX });
  expect(dropPlace(layout, keys, "t3", firstPx + TRACK_PX)).toBeNull();
  expect(dropPlace(layout, keys, "t3", firstPx + 2 * TRACK_PX)).toBeNull();
});

test("a group goes before or behind another one and all that is in it", () => {
  const layout = layOut(roots, new Set(["g0"]));
  const endPx = HEADER_PX + 2 * TRACK_PX;
  expect(dropPlace(layout, ["g0", "g1"], "g1", 5)).toEqual({ before: "g0", lineYPx: 0 });
  expect(dropPlace(layout, ["g0", "g1"], "g0", endPx + HEADER_PX)).toEqual({
    before: null,
    lineYPx: endPx + HEADER_PX,
  });
  expect(dropPlace(layout, ["g0", "g1"], "g1", endPx - 4)).toBeNull();
  expect(dropPlace(layout, [], "g1", 5)).toBeNull();
});
