import { type Track, ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { layOut } from "../state/layout";
import { buildTree } from "../state/tree";
import { moveInTree } from "./tree-keys";

function track(id: number, group: number): Track {
  const rest = { detail: "", rows: 1, events: 1n, busyTicks: ticks(0), lanes: 1, children: [], values: null };
  return { id, group, kind: "slice", name: `${id}`, ...rest };
}

const roots = buildTree({
  groups: [
    { id: 0, parent: null, kind: "process", name: "p", detail: "", rollup: null, missing: undefined },
    { id: 1, parent: null, kind: "process", name: "q", detail: "", rollup: null, missing: undefined },
  ],
  tracks: [track(0, 0), track(1, 0), track(2, 1)],
});
const layout = layOut(roots, new Set(["g0"]));

const focused = (from: string | null, key: string) => {
  const move = moveInTree(layout, from, key);
  return move?.kind === "focus" ? move.item.key : move;
};

describe("moveInTree", () => {
  it("walks over what is open", () => {
    expect(focused(null, "ArrowDown")).toBe("t0");
    expect(focused("t1", "ArrowDown")).toBe("g1");
    expect(focused("g1", "ArrowDown")).toBe("g1");
    expect(focused("g0", "ArrowUp")).toBe("g0");
    expect(focused("t0", "End")).toBe("g1");
    expect(focused("g1", "Home")).toBe("g0");
  });

  it("opens and closes groups, and goes from a track to its group", () => {
    expect(focused("g1", "ArrowRight")).toEqual({ kind: "toggle", key: "g1" });
    expect(focused("g0", "ArrowRight")).toBe("t0");
    expect(focused("g0", "ArrowLeft")).toEqual({ kind: "toggle", key: "g0" });
    expect(focused("t1", "ArrowLeft")).toBe("g0");
    expect(focused("g0", "Enter")).toEqual({ kind: "toggle", key: "g0" });
  });

  it("leaves other keys to others", () => {
    expect(focused("t0", "Enter")).toBeNull();
    expect(focused("t0", "w")).toBeNull();
    expect(moveInTree(layOut([], new Set()), null, "ArrowDown")).toBeNull();
  });
});
