/** State of a picture of a tree: direction, sizes, what is zoomed and looked for, and the box that has the focus. */

import { computed, signal } from "@preact/signals";
import type { TimeBase, ToolColumn, ToolTable } from "@tilescope/client";
import { formatCount } from "../../components/format";
import { percentDigits } from "../../components/percent";
import { type Figure, figureText } from "../figures";
import { layOut } from "./layout";
import { RowNames } from "./names";
import { BottomUp, NO_NODE, type NodeTree, sizedRows, TopDown } from "./node-tree";
import { matchesOf } from "./search";
import { readingOrder } from "./walk";

export type TreeDirection = "down" | "up";

/** Figures of a box. */
export interface BoxFigures {
  readonly name: string;
  readonly size: string;
  /** Part of the whole, in words. */
  readonly share: string;
  /** The part of it that lies in none of the boxes below it, in words; empty where that is all of it. */
  readonly own: string;
}

export class PictureModel {
  readonly table: ToolTable;
  readonly names: RowNames;
  /** Columns by which boxes may be sized; without one, by the number of rows. */
  readonly sizeColumns: readonly ToolColumn[];
  readonly direction = signal<TreeDirection>("down");
  readonly sizeColumn = signal<string | null>(null);
  readonly zoomed = signal(NO_NODE);
  readonly current = signal(-1);
  readonly search = signal("");
  readonly widthPx = signal(0);
  readonly time: TimeBase;

  constructor(table: ToolTable, time: TimeBase) {
    this.table = table;
    this.time = time;
    this.names = new RowNames(table);
    this.sizeColumns = (table.nested ?? []).flatMap((id) => table.columns.find((column) => column.id === id) ?? []);
    this.sizeColumn.value = this.sizeColumns[0]?.id ?? null;
  }

  /** True where the table leaves rows out: what these come to is in what they lie in. */
  get isPart(): boolean {
    return this.table.rest !== null;
  }

  readonly rows = computed(() => sizedRows(this.table, this.sizeColumn.value));

  readonly tree = computed<NodeTree>(() =>
    this.direction.value === "down" ? new TopDown(this.rows.value) : new BottomUp(this.rows.value, this.names.numbers),
  );

  readonly boxes = computed(() => layOut(this.tree.value, this.zoomed.value, this.widthPx.value));

  readonly order = computed(() => readingOrder(this.boxes.value));

  /** Names that are looked for, by number; null: none is. */
  readonly matching = computed(() => this.names.matching(this.search.value));

  readonly matches = computed(() => {
    const matching = this.matching.value;
    return matching === null ? null : matchesOf(this.rows.value, this.names.numbers, matching);
  });

  setDirection(direction: TreeDirection): void {
    this.direction.value = direction;
    this.#forget();
  }

  setSizeColumn(id: string): void {
    this.sizeColumn.value = id;
    this.#forget();
  }

  #forget(): void {
    this.zoomed.value = NO_NODE;
    this.current.value = -1;
  }

  /** Fills the picture with a box; with one of several nodes, with what they lie in. */
  zoom(box: number): void {
    const { node, parent } = this.boxes.peek();
    this.#zoomTo(node[box] === NO_NODE ? (parent[box] ?? NO_NODE) : (node[box] ?? NO_NODE));
  }

  zoomOut(): void {
    this.#zoomTo(this.tree.peek().parentOf(this.zoomed.peek()));
  }

  zoomAll(): void {
    this.#zoomTo(NO_NODE);
  }

  #zoomTo(zoomed: number): void {
    const node = this.boxes.peek().node[this.current.peek()] ?? NO_NODE;
    this.zoomed.value = zoomed;
    this.current.value = node === NO_NODE ? -1 : this.boxes.peek().node.indexOf(node);
  }

  /** The row of the table that a box is about; NO_NODE: none. */
  rowOf(box: number): number {
    const node = this.boxes.peek().node[box] ?? NO_NODE;
    return node === NO_NODE ? NO_NODE : this.tree.peek().rowOf(node);
  }

  isMatch(box: number): boolean {
    const matching = this.matching.peek();
    const row = this.rowOf(box);
    return matching === null || (row !== NO_NODE && matching[this.names.numbers[row]!] === 1);
  }

  /** Size of a box: of all its nodes. */
  sizeOf(box: number): number {
    const { node, parent, count } = this.boxes.peek();
    const tree = this.tree.peek();
    if (node[box] !== NO_NODE) {
      return tree.size(node[box]!);
    }
    const children = parent[box] === NO_NODE ? tree.roots : tree.children(parent[box]!);
    return sum(children, children.length - count[box]!, tree);
  }

  figures(box: number): BoxFigures {
    const boxes = this.boxes.peek();
    const tree = this.tree.peek();
    const node = boxes.node[box] ?? NO_NODE;
    const size = this.sizeOf(box);
    if (node === NO_NODE) {
      return { name: `${formatCount(boxes.count[box]!)} more`, ...this.#sizes(size), own: "" };
    }
    const children = tree.children(node);
    const below = sum(children, 0, tree);
    return {
      name: this.names.text(tree.rowOf(node)),
      ...this.#sizes(size),
      own:
        children.length > 0 ? `${this.sizeText(size - below)} ${this.isPart ? "itself or not listed" : "itself"}` : "",
    };
  }

  #sizes(size: number): { readonly size: string; readonly share: string } {
    const { total } = this.tree.peek();
    return { size: this.sizeText(size), share: total > 0 ? `${percentDigits(size / total, 1)} %` : "" };
  }

  sizeText(size: number): string {
    const column = this.sizeColumns.find(({ id }) => id === this.sizeColumn.peek());
    if (column === undefined) {
      return `${formatCount(size)} ${size === 1 ? "row" : "rows"}`;
    }
    const { digits, unit } = figureText(column, figureOf(column, size), this.time);
    return unit === "" ? digits : `${digits} ${unit}`;
  }
}

/** A size as an answer has it: exact integers are decimal text. */
export function figureOf({ kind }: Pick<ToolColumn, "kind">, size: number): Figure {
  return kind === "fraction" || kind === "rate" || kind === "number" ? size : BigInt(Math.round(size)).toString();
}

function sum(nodes: ArrayLike<number>, first: number, tree: NodeTree): number {
  let size = 0;
  for (let k = first; k < nodes.length; k++) {
    size += tree.size(nodes[k]!);
  }
  return size;
}
