import { type EventDetails, type FlowPartner, fit, type Group, type Track, ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { HEADER_PX, layOut, ROW_PX } from "../state/layout";
import { buildTree } from "../state/tree";
import { chainArrows, curveOf, flowArrows } from "./flow-arrows";
import type { Picture } from "./picture";

function track(id: number, group: number, rows: number): Track {
  const rest = { kind: "slice" as const, name: `t${id}`, detail: "", events: 1n, busyTicks: ticks(0), lanes: 1 };
  return { id, group, rows, ...rest, children: [], values: null };
}

const groups: Group[] = [0, 1].map((id) => ({
  ...{ id, parent: null, kind: "process", name: `p${id}`, detail: "", rollup: null, missing: undefined },
}));
const roots = buildTree({ groups, tracks: [track(0, 0, 3), track(1, 1, 1)] });
const view = fit({ startTicks: ticks(0), endTicks: ticks(1000) }, 1000);
const picture = { view, coverages: new Map() } as unknown as Picture;

const partner = (id: number, start: number): FlowPartner => ({
  ...{ track: id, ordinal: 1n, name: "x", startTicks: ticks(start), derived: false },
});

function details(arrive: readonly FlowPartner[], leave: readonly FlowPartner[]): EventDetails {
  return {
    ...{
      track: 0,
      ordinal: 5n,
      kind: "slice",
      name: "n",
      category: "",
      row: 2,
      flags: [],
      value: null,
      args: [],
      stacks: [],
    },
    ...{ startTicks: ticks(400), durationTicks: ticks(100) },
    flows: { in: arrive, inCount: BigInt(arrive.length), out: leave, outCount: BigInt(leave.length) },
  };
}

const ownY = HEADER_PX + 1 + 2 * ROW_PX + (ROW_PX - 1) / 2;

describe("flowArrows", () => {
  it("leave at the end for what begins later, at the start for what is called in between", () => {
    const layout = layOut(roots, new Set(["g0", "g1"]));
    const arrows = flowArrows(
      picture,
      layout,
      { topPx: 0, pinnedTopPx: 0 },
      details([], [partner(1, 700), partner(1, 450)]),
    );
    expect(arrows.map(({ fromXPx, fromYPx, toXPx }) => [fromXPx, fromYPx, toXPx])).toEqual([
      [500, ownY, 700],
      [400, ownY, 450],
    ]);
  });

  it("arrive at the start, from where tracks are scrolled to", () => {
    const layout = layOut(roots, new Set(["g0", "g1"]));
    const [arrow] = flowArrows(picture, layout, { topPx: 30, pinnedTopPx: 0 }, details([partner(1, 100)], []));
    const other = layout.items.find(({ key }) => key === "t1")!;
    expect(arrow).toMatchObject({ direction: "in", fromXPx: 100, toXPx: 400, toYPx: ownY - 30 });
    expect(arrow!.fromYPx).toBe(other.topPx + other.heightPx / 2 - 30);
  });

  it("lead to the header of a closed group, and stay near the screen", () => {
    const layout = layOut(roots, new Set(["g0"]));
    const header = layout.items.find(({ key }) => key === "g1")!;
    const [arrow] = flowArrows(picture, layout, { topPx: 0, pinnedTopPx: 0 }, details([], [partner(1, 10_000_000)]));
    expect(arrow!.toYPx).toBe(header.topPx + HEADER_PX / 2);
    expect(arrow!.toXPx).toBe(view.widthPx + 400);
  });

  it("are none for tracks that are not shown", () => {
    const layout = layOut(roots.slice(0, 1), new Set(["g0"]));
    expect(flowArrows(picture, layout, { topPx: 0, pinnedTopPx: 0 }, details([partner(1, 5)], []))).toEqual([]);
    expect(
      flowArrows(picture, layOut([], new Set()), { topPx: 0, pinnedTopPx: 0 }, details([], [partner(0, 5)])),
    ).toEqual([]);
  });
});

it("bends a short arrow as much as is needed to see it", () => {
  const arrow = { direction: "out", fromXPx: 10, fromYPx: 0, toXPx: 12, toYPx: 50 } as const;
  expect(curveOf(arrow).bendPx).toBe(24);
  expect(curveOf({ ...arrow, toXPx: 900 }).bendPx).toBe(90);
});

describe("chainArrows", () => {
  it("draw the flows of the chain that are not of the event itself", () => {
    const layout = layOut(roots, new Set(["g0", "g1"]));
    const event = (id: number, ordinal: number, start: number, depth: number) => ({
      ...{ track: id, ordinal, name: "x", startTicks: BigInt(start), durationTicks: 50n, depth },
    });
    const chain = {
      events: [event(1, 1, 100, -1), event(0, 5, 400, 0), event(1, 3, 600, 1), event(0, 9, 620, 2)],
      flows: [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
        { from: 2, to: 3 },
      ],
      isCut: false,
    };
    const arrows = chainArrows(picture, layout, { topPx: 0, pinnedTopPx: 0 }, chain, details([], []));
    expect(arrows.map(({ direction, fromXPx, toXPx }) => [direction, fromXPx, toXPx])).toEqual([["out", 600, 620]]);
  });
});
