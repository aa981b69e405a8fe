/** Trees of tables as boxes: sizes, both directions, zoom, keys, search, and a million rows. */

import type { ToolTable } from "@tilescope/client";
import { expect, it } from "vitest";
import { ColorTable } from "../../raster/palette";
import { meaningOf } from "../../raster/reading";
import { column, table } from "../test-tables";
import { boxAt, layOut } from "./layout";
import { NameColors, RowNames } from "./names";
import { BottomUp, NO_NODE, type NodeTree, sizedRows, TopDown } from "./node-tree";
import { matchesOf, nextMatch } from "./search";
import { boxByKey, readingOrder } from "./walk";

/** `main` of 100: `a` of 60 with `f` of 40; `f` of 30 with `g` of 10; the rest is its own. */
const NAMES = ["main", "f", "g", "a", "f"];
const PARENTS = [-1, 0, 1, 0, 3];
const TOTALS = ["100", "30", "10", "60", "40"];

function tree(nested: readonly string[] = ["total"]): ToolTable {
  const columns = [column("name", "name", NAMES), column("total", "ticks", TOTALS), column("parent", "id", PARENTS)];
  return table(columns, { parent: "parent", nested });
}

function namesOf(tree: NodeTree, names: RowNames, nodes: ArrayLike<number>): readonly string[] {
  return Array.from(nodes, (node) => `${names.text(tree.rowOf(node))} ${tree.size(node)}`);
}

it("rows have sizes of their own and with all below", () => {
  const rows = sizedRows(tree(), "total");
  expect([...rows.sizes]).toEqual([100, 30, 10, 60, 40]);
  expect([...rows.own]).toEqual([10, 20, 10, 20, 40]);
});

it("rows without a size count by the leaves below", () => {
  expect([...sizedRows(tree([]), null).sizes]).toEqual([2, 1, 1, 1, 1]);
});

it("a parent is at least as large as what lies below it, and no row is below itself", () => {
  const columns = [
    column("name", "name", ["a", "b", "c"]),
    column("n", "count", [null, "7", "-3"]),
    column("parent", "id", [1, 0, 2]),
  ];
  const rows = sizedRows(table(columns, { parent: "parent", nested: ["n"] }), "n");
  expect([...rows.parents]).toEqual([NO_NODE, 0, NO_NODE]);
  expect([...rows.sizes]).toEqual([7, 7, 0]);
});

it("top down, the largest children come first", () => {
  const names = new RowNames(tree());
  const topDown = new TopDown(sizedRows(tree(), "total"));
  expect(topDown.total).toBe(100);
  expect(namesOf(topDown, names, topDown.roots)).toEqual(["main 100"]);
  expect(namesOf(topDown, names, topDown.children(0))).toEqual(["a 60", "f 30"]);
  expect(topDown.parentOf(4)).toBe(3);
});

it("bottom up, names have their own sizes, and below each what calls it", () => {
  const names = new RowNames(tree());
  const bottomUp = new BottomUp(sizedRows(tree(), "total"), names.numbers);
  expect(bottomUp.total).toBe(100);
  expect(namesOf(bottomUp, names, bottomUp.roots)).toEqual(["f 60", "a 20", "main 10", "g 10"]);
  const f = bottomUp.roots[0]!;
  expect(namesOf(bottomUp, names, bottomUp.children(f))).toEqual(["a 40", "main 20"]);
  const a = bottomUp.children(f)[0]!;
  expect(namesOf(bottomUp, names, bottomUp.children(a))).toEqual(["main 40"]);
  expect(bottomUp.parentOf(a)).toBe(f);
});

it("boxes of a level lie side by side within their parents", () => {
  const topDown = new TopDown(sizedRows(tree(), "total"));
  const boxes = layOut(topDown, NO_NODE, 200);
  const drawn = [...boxes.node.keys()].map((k) => [
    NAMES[boxes.node[k]!],
    boxes.level[k],
    boxes.fromPx[k],
    boxes.toPx[k],
  ]);
  expect(drawn.toSorted((a, b) => Number(a[1]) - Number(b[1]) || Number(a[2]) - Number(b[2]))).toEqual([
    ["main", 0, 0, 200],
    ["a", 1, 0, 120],
    ["f", 1, 120, 180],
    ["f", 2, 0, 80],
    ["g", 2, 120, 140],
  ]);
  expect(boxes.levels).toBe(3);
  expect(NAMES[boxes.node[boxAt(boxes, 2, 130)]!]).toBe("g");
  expect(boxAt(boxes, 2, 141)).toBe(-1);
});

it("a zoomed box fills the picture, and so does all above it", () => {
  const topDown = new TopDown(sizedRows(tree(), "total"));
  const boxes = layOut(topDown, 3, 90);
  expect([...boxes.node].map((node) => NAMES[node])).toEqual(["main", "a", "f"]);
  expect([...boxes.toPx]).toEqual([90, 90, 60]);
});

it("what is narrower than a pixel is one box, which tells how many it stands for", () => {
  const count = 5000;
  const columns = [
    column("name", "name", ["all", ...Array.from({ length: count }, (_, k) => `leaf ${k}`)]),
    column("n", "count", [String(count), ...Array.from({ length: count }, () => "1")]),
    column("parent", "id", [-1, ...Array.from({ length: count }, () => 0)]),
  ];
  const boxes = layOut(new TopDown(sizedRows(table(columns, { parent: "parent", nested: ["n"] }), "n")), NO_NODE, 1000);
  expect([...boxes.node]).toEqual([0, NO_NODE]);
  expect([boxes.count[1], boxes.fromPx[1], boxes.toPx[1]]).toEqual([count, 0, 1000]);
});

it("a million rows are no more boxes than a screen has room for", () => {
  const count = 1_000_000;
  const parents = Int32Array.from({ length: count }, (_, k) => Math.floor((k - 1) / 4));
  const sizes = new Float64Array(count);
  for (let k = count - 1; k >= 0; k--) {
    sizes[k]! += 1;
    if (k > 0) {
      sizes[parents[k]!]! += sizes[k]!;
    }
  }
  const topDown = new TopDown({ parents, sizes, own: new Float64Array(count).fill(1) });
  const boxes = layOut(topDown, NO_NODE, 1400);
  expect(topDown.total).toBe(count);
  expect(boxes.node.length).toBeLessThan(1400 * boxes.levels);
  // Nothing that could be seen is left out: the boxes of a node's children are as wide as these are in sum.
  const widths = Array.from(boxes.node, (_, k) => boxes.toPx[k]! - boxes.fromPx[k]!);
  const drawn = new Map<number, number>();
  boxes.parent.forEach((parent, k) => {
    drawn.set(parent, (drawn.get(parent) ?? 0) + widths[k]!);
  });
  boxes.node.forEach((node, k) => {
    if (node !== NO_NODE) {
      const below = (widths[k]! * (sizes[node]! - 1)) / sizes[node]!;
      expect(Math.abs(below - (drawn.get(node) ?? 0))).toBeLessThan(0.5);
    }
  });
});

it("keys lead to the parent, the largest child and the next of a level", () => {
  const topDown = new TopDown(sizedRows(tree(), "total"));
  const boxes = layOut(topDown, NO_NODE, 200);
  const order = readingOrder(boxes);
  const name = (box: number | null) => (box === null ? null : [NAMES[boxes.node[box]!], boxes.level[box]]);
  const main = boxByKey(boxes, order, -1, "ArrowDown")!;
  const a = boxByKey(boxes, order, main, "ArrowDown")!;
  const f = boxByKey(boxes, order, a, "ArrowRight")!;
  expect([main, a, f].map(name)).toEqual([
    ["main", 0],
    ["a", 1],
    ["f", 1],
  ]);
  expect(boxByKey(boxes, order, f, "ArrowRight")).toBe(f);
  expect(name(boxByKey(boxes, order, f, "ArrowDown"))).toEqual(["g", 2]);
  expect(name(boxByKey(boxes, order, f, "ArrowUp"))).toEqual(["main", 0]);
  expect(name(boxByKey(boxes, order, f, "End"))).toEqual(["g", 2]);
  expect(boxByKey(boxes, order, f, "x")).toBeNull();
});

it("a search counts rows, and each part of the whole once", () => {
  const rows = sizedRows(tree(), "total");
  const names = new RowNames(tree());
  const matching = names.matching(" F ")!;
  expect(matchesOf(rows, names.numbers, matching)).toEqual({ rows: 2, share: 0.7 });
  expect(matchesOf(rows, names.numbers, names.matching("g")!)).toEqual({ rows: 1, share: 0.1 });
  expect(names.matching("  ")).toBeNull();
});

it("rows of a table without names have none, and are drawn", () => {
  const table = { ...tree(), columns: tree().columns.filter(({ kind }) => kind !== "name" && kind !== "text") };
  const names = new RowNames(table);
  expect([...names.numbers]).toEqual([0, 0, 0, 0, 0]);
  expect(names.text(3)).toBe("(none)");
});

it("the next match comes after the current box, and the first again after the last", () => {
  const order = [3, 1, 2];
  const isMatch = (box: number) => box !== 1;
  expect(nextMatch(order, isMatch, -1, 1)).toBe(3);
  expect(nextMatch(order, isMatch, 3, 1)).toBe(2);
  expect(nextMatch(order, isMatch, 2, 1)).toBe(3);
  expect(nextMatch(order, isMatch, 3, -1)).toBe(2);
  expect(nextMatch(order, () => false, 3, 1)).toBe(-1);
});

it("names have the colours that they have in the timeline, by their category where a table has it", () => {
  const events = [
    { name: "aten::mm", category: "cpu_op" },
    { name: "forward", category: "python_function" },
    { name: "ncclDevKernel_AllReduce", category: "kernel" },
    { name: "cudaLaunchKernel", category: "cuda_runtime" },
    { name: "Memcpy HtoD", category: "gpu_memcpy" },
    { name: "ampere_sgemm_128x64", category: "kernel" },
    { name: "forward", category: "python_function" },
  ];
  const names = new RowNames(
    table([
      column(
        "name",
        "name",
        events.map(({ name }) => name),
      ),
      column(
        "category",
        "text",
        events.map(({ category }) => category),
      ),
    ]),
  );
  for (const theme of ["light", "dark"] as const) {
    const timeline = new ColorTable({ theme, by: "meaning", only: null });
    timeline.set(0, events, meaningOf);
    const colors = new NameColors(names, theme);
    const drawn = events.map((_, row) => colors.colorsOf(names.numbers[row]!));
    expect(drawn).toEqual(events.map((_, id) => ({ fill: timeline.css(id), text: timeline.text(id, 0) })));
    expect(new Set(drawn.map(({ fill }) => fill)).size).toBe(events.length - 1);
  }
});
