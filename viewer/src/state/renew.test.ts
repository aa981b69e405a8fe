import { type BuildApi, fit, type Group, type Manifest, type Track, ticks, visibleRange } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { layOut } from "./layout";
import { anchorAt, renewedView, scrollTo } from "./renew";
import { makeTrace } from "./trace";

function traceOf(names: readonly string[], rows: number, originNs: bigint, end: number) {
  const group: Group = {
    id: 0,
    parent: null,
    kind: "process",
    name: "p",
    detail: "",
    rollup: null,
    missing: undefined,
  };
  const tracks = names.map((name, id): Track => {
    const rest = { group: 0, kind: "slice" as const, detail: "", events: 1n, busyTicks: ticks(0), lanes: 1 };
    return { id, name, rows, ...rest, children: [], values: null };
  });
  const manifest = {
    time: { tickPs: 1000, originNs },
    range: { startTicks: ticks(0), endTicks: ticks(end) },
  } as unknown as Manifest;
  return makeTrace(manifest, {} as BuildApi, { groups: [group], tracks });
}

const before = traceOf(["a", "b", "c"], 1, 5000n, 1000);
const after = traceOf(["new", "a", "b", "c"], 3, 4000n, 3000);

describe("the view of a trace that has grown", () => {
  it("stays at the same time, though ticks are counted from an earlier origin", () => {
    const view = fit({ startTicks: ticks(100), endTicks: ticks(300) }, 800);
    expect(visibleRange(renewedView(view, before, after, 0))).toEqual({ startTicks: 1100n, endTicks: 1300n });
  });

  it("stays that of the whole run", () => {
    const view = fit(before.manifest.range, 800, 10);
    expect(renewedView(view, before, after, 10)).toEqual(fit(after.manifest.range, 800, 10));
  });
});

describe("the tracks of a trace that has grown", () => {
  const open = new Set(["g0"]);
  const [old, now] = [layOut(before.roots, open), layOut(after.roots, open)];

  it("stay where they are, under their names", () => {
    const item = old.items.find(({ key }) => key === "t1")!;
    const anchor = anchorAt(old, item.topPx + 5)!;
    expect(scrollTo(now, anchor)).toBe(now.items.find(({ key }) => key === "t2")!.topPx + 5);
  });

  it("are not looked for where there are none", () => {
    expect(anchorAt(layOut([], open), 0)).toBeNull();
    expect(scrollTo(layOut([], open), anchorAt(old, 0)!)).toBeNull();
  });
});
