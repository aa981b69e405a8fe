import { type Coverage, type Track, ticks, type View } from "@tilescope/client";
import { drawsOf, viewOf } from "@tilescope/client/testing/draw";
import { sliceTiles } from "@tilescope/client/testing/pyramid";
import { describe, expect, it } from "vitest";
import { type FoldedRows, layOut, NOTHING_FOLDED, ROW_PX } from "../state/layout";
import { buildTree } from "../state/tree";
import type { Picture } from "./picture";
import { foldRows, foldShiftPx, unfoldRows } from "./row-fold";
import { buildScene } from "./scene";

const OPTIONS = { rootLevel: 3, leafEvents: 20, tilesPerPage: 4 };
const ROWS = 9;
const TOP = { topPx: 0, pinnedTopPx: 0 };

/** Nine rows from 1,000 to 9,000 ticks, each nested row a tenth shorter than the one above it; a lone pair of rows at 12,000. */
const events = [
  ...Array.from({ length: ROWS }, (_, row) => ({
    start: 1000 + 400 * row,
    duration: 8000 - 800 * row,
    row,
    name: row,
  })),
  { start: 12_000, duration: 100, row: 0, name: 0 },
  { start: 12_010, duration: 50, row: 1, name: 1 },
];

const track: Track = {
  id: 0,
  group: 1,
  kind: "slice",
  name: "t",
  detail: "",
  rows: ROWS,
  events: BigInt(events.length),
  busyTicks: ticks(0),
  lanes: 1,
  children: [],
  values: null,
  firstTicks: ticks(1000),
  lastTicks: ticks(12_100),
};

const roots = buildTree({
  groups: [{ id: 1, parent: null, kind: "host", name: "h", detail: "", rollup: null, missing: undefined }],
  tracks: [track],
});

function laidOut(folded: FoldedRows) {
  return layOut(roots, new Set(["g1"]), [], Number.POSITIVE_INFINITY, new Map(), folded);
}

function pictureOf(view: View, folded: FoldedRows, change: Partial<Coverage> = {}): Picture {
  const draws = drawsOf(sliceTiles(0, events, OPTIONS), view, OPTIONS);
  const coverage: Coverage = { draws, complete: true, ...change } as Coverage;
  const scene = buildScene(laidOut(folded), TOP, 500);
  return {
    scene,
    view,
    deviceView: view,
    ratio: 1,
    heightPx: 500,
    endTicks: ticks(30_000),
    coverages: new Map([[0, coverage]]),
  };
}

function folded(view: View, before: FoldedRows = NOTHING_FOLDED, change: Partial<Coverage> = {}) {
  return foldRows(pictureOf(view, before, change), laidOut(before), TOP, before).get(0) ?? ROWS;
}

const whole = viewOf(0, 100, 256);
const pair = viewOf(11_000, 10, 256);

describe("at rest", () => {
  it("a track with something in view keeps the rows down to the deepest of these", () => {
    expect(folded(whole)).toBe(ROWS);
    expect(folded(pair)).toBe(2);
    expect(folded(viewOf(1000, 1, 256))).toBe(1);
  });

  it("as many rows as events in view need, in views at random, whatever was folded before", () => {
    for (let k = 0; k < 200; k++) {
      const start = (k * 7919) % 14_000;
      const ticksPerPx = 1 + (k % 40);
      const view = viewOf(start, ticksPerPx, 64);
      const end = start + ticksPerPx * 64;
      const deepest = Math.max(
        -1,
        ...events.filter((e) => e.start < end && e.start + e.duration > start).map((e) => e.row),
      );
      const rows = folded(view);
      expect(rows).toBeGreaterThanOrEqual(deepest + 1);
      // Bins over the edge of the view are drawn.
      expect(rows).toBeLessThanOrEqual(deepest + 3 > ROWS - 2 ? ROWS : deepest + 3);
      expect(folded(view, new Map([[0, 1 + (k % ROWS)]]))).toBe(rows);
    }
  });

  it("a track before or behind the view takes one row, loaded or not", () => {
    expect(folded(viewOf(14_000, 10, 256))).toBe(1);
    expect(folded(viewOf(14_000, 10, 256), NOTHING_FOLDED, { complete: false })).toBe(1);
    expect(folded(viewOf(0, 1, 256))).toBe(1);
  });

  it("rows stay as they are while tiles are missing or are those of the overview", () => {
    for (const change of [{ complete: false }, { provisional: true }]) {
      expect(folded(pair, NOTHING_FOLDED, change)).toBe(ROWS);
      expect(folded(pair, new Map([[0, 4]]), change)).toBe(4);
    }
  });

  it("a track off the screen has all of its rows", () => {
    const before = new Map([[0, 2]]);
    const above = { topPx: laidOut(before).heightPx, pinnedTopPx: 0 };
    expect(foldRows(pictureOf(pair, before), laidOut(before), above, before).size).toBe(0);
    const edge = { topPx: laidOut(before).heightPx - 1, pinnedTopPx: 0 };
    const withoutDraws = { ...pictureOf(pair, before), coverages: new Map() };
    expect(foldRows(withoutDraws, laidOut(before), edge, before), "only the gap below it is seen").toBe(before);
  });

  it("one row is not worth a move", () => {
    expect(folded(viewOf(5600, 1, 64))).toBe(ROWS);
  });

  it("the same rows are the same value", () => {
    const before = new Map([[0, 2]]);
    expect(foldRows(pictureOf(pair, before), laidOut(before), TOP, before)).toBe(before);
  });
});

describe("while it moves", () => {
  it("rows come back with the picture that has something in them", () => {
    const before = new Map([[0, 2]]);
    expect(unfoldRows(pictureOf(whole, before), before).get(0)).toBe(ROWS);
    expect(unfoldRows(pictureOf(pair, before), before)).toBe(before);
  });
});

describe("the layout of fewer rows", () => {
  const before = laidOut(NOTHING_FOLDED).items.at(-1);
  const after = laidOut(new Map([[0, 2]])).items.at(-1);

  it("leaves a place of the rows that stay where it is", () => {
    expect(foldShiftPx(before!, after!, before!.topPx + ROW_PX)).toBe(0);
    expect(foldShiftPx(after!, before!, after!.topPx + ROW_PX)).toBe(0);
  });

  it("leaves the lower edge where the place is folded away", () => {
    expect(foldShiftPx(before!, after!, before!.topPx + 3 * ROW_PX)).toBe((2 - ROWS) * ROW_PX);
  });
});
