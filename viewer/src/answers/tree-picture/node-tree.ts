/** A tree as a picture needs it: nodes with sizes and names, the largest children first. */

import type { ToolTable } from "@tilescope/client";
import { approximate } from "../figures";

export const NO_NODE = -1;

/** Nodes are numbers. Children may be found only when they are asked for. */
export interface NodeTree {
  /** Sum of the sizes of the roots. */
  readonly total: number;
  readonly roots: ArrayLike<number>;
  children(node: number): ArrayLike<number>;
  parentOf(node: number): number;
  size(node: number): number;
  /** A row of the table that has the node's name; of several, one of the largest. */
  rowOf(node: number): number;
}

/** The rows of a table and what lies below them, by row. */
export interface SizedRows {
  /** -1: none. Parents stand before their children. */
  readonly parents: Int32Array;
  /** With all rows below. */
  readonly sizes: Float64Array;
  /** Without them. */
  readonly own: Float64Array;
}

/** Sizes by a column of `nested`; without one, each row that has none below it counts as one. */
export function sizedRows(table: ToolTable, column: string | null): SizedRows {
  const parents = parentsOf(table);
  const { length } = parents;
  const nested = table.columns.find(({ id }) => id === column);
  const below = new Float64Array(length);
  const sizes = new Float64Array(length);
  const hasChildren = new Uint8Array(length);
  for (let row = length - 1; row >= 0; row--) {
    const own =
      nested === undefined ? (hasChildren[row] === 0 ? 1 : 0) : approximate(nested.kind, nested.values[row] ?? null);
    // What lies below a row is part of it, whatever was recorded of the row itself.
    sizes[row] = Math.max(own > 0 ? own : 0, below[row]!);
    const parent = parents[row]!;
    if (parent >= 0) {
      below[parent] = below[parent]! + sizes[row]!;
      hasChildren[parent] = 1;
    }
  }
  return { parents, sizes, own: sizes.map((size, row) => size - below[row]!) };
}

function parentsOf(table: ToolTable): Int32Array {
  const values = table.columns.find(({ id }) => id === table.parent)?.values ?? [];
  return Int32Array.from(values, (value, row) => {
    const parent = Number(value ?? NO_NODE);
    // What is no row before this one would make a circle.
    return parent >= 0 && parent < row ? parent : NO_NODE;
  });
}

/** Rows as they stand in the table: what is called lies below what calls it. */
export class TopDown implements NodeTree {
  readonly total: number;
  readonly roots: ArrayLike<number>;
  readonly #rows: SizedRows;
  /** The children of row `k` are `#children[#starts[k + 1]]` to `#children[#starts[k + 2]]`; those of none come first. */
  readonly #starts: Int32Array;
  readonly #children: Int32Array;
  readonly #sorted: Uint8Array;

  constructor(rows: SizedRows) {
    const { parents, sizes } = rows;
    const starts = new Int32Array(parents.length + 2);
    for (const parent of parents) {
      starts[parent + 2]! += 1;
    }
    for (let k = 1; k < starts.length; k++) {
      starts[k]! += starts[k - 1]!;
    }
    const next = starts.slice();
    const children = new Int32Array(parents.length);
    parents.forEach((parent, row) => {
      children[next[parent + 1]!++] = row;
    });
    this.#rows = rows;
    this.#starts = starts;
    this.#children = children;
    this.#sorted = new Uint8Array(parents.length + 1);
    this.roots = this.children(NO_NODE);
    this.total = sumOf(this.roots, (row) => sizes[row]!);
  }

  children(node: number): ArrayLike<number> {
    const children = this.#children.subarray(this.#starts[node + 1]!, this.#starts[node + 2]!);
    if (this.#sorted[node + 1] === 0) {
      const { sizes } = this.#rows;
      children.sort((a, b) => sizes[b]! - sizes[a]! || a - b);
      this.#sorted[node + 1] = 1;
    }
    return children;
  }

  parentOf(node: number): number {
    return this.#rows.parents[node] ?? NO_NODE;
  }

  size(node: number): number {
    return this.#rows.sizes[node] ?? 0;
  }

  rowOf(node: number): number {
    return node;
  }
}

/** Nodes of a tree that is turned round, each with the rows that it is made of. */
interface Merged {
  readonly parent: number;
  readonly size: number;
  readonly row: number;
  /** Rows whose own sizes it has. */
  readonly origins: Int32Array;
  /** The row above it that has the node's name. */
  readonly places: Int32Array;
  children: readonly number[] | null;
}

/** Rows by name, and below each name the names that call it: where a name costs, whatever it is called by. */
export class BottomUp implements NodeTree {
  readonly total: number;
  readonly roots: ArrayLike<number>;
  readonly #rows: SizedRows;
  readonly #names: ArrayLike<number>;
  readonly #nodes: Merged[] = [];

  /** `names`: of each row the number of its name. */
  constructor(rows: SizedRows, names: ArrayLike<number>) {
    this.#rows = rows;
    this.#names = names;
    const origins = Int32Array.from(rows.own.keys()).filter((row) => rows.own[row]! > 0);
    this.roots = this.#group(NO_NODE, origins, origins);
    this.total = sumOf(this.roots, (node) => this.size(node));
  }

  children(node: number): ArrayLike<number> {
    const merged = this.#nodes[node]!;
    if (merged.children === null) {
      const { parents } = this.#rows;
      const above = merged.places.map((place) => parents[place]!);
      const isThere = (_: number, k: number) => above[k]! >= 0;
      merged.children = this.#group(node, merged.origins.filter(isThere), above.filter(isThere));
    }
    return merged.children;
  }

  parentOf(node: number): number {
    return this.#nodes[node]?.parent ?? NO_NODE;
  }

  size(node: number): number {
    return this.#nodes[node]?.size ?? 0;
  }

  rowOf(node: number): number {
    return this.#nodes[node]?.row ?? NO_NODE;
  }

  /** A node for each name of some places. */
  #group(parent: number, origins: Int32Array, places: Int32Array): readonly number[] {
    const { own, sizes } = this.#rows;
    const members = new Map<number, number[]>();
    for (let k = 0; k < places.length; k++) {
      const name = this.#names[places[k]!]!;
      const group = members.get(name);
      if (group === undefined) {
        members.set(name, [k]);
      } else {
        group.push(k);
      }
    }
    const first = this.#nodes.length;
    for (const group of members.values()) {
      const largest = group.reduce((best, k) => (sizes[places[k]!]! > sizes[places[best]!]! ? k : best), group[0]!);
      this.#nodes.push({
        parent,
        size: sumOf(group, (k) => own[origins[k]!]!),
        row: places[largest]!,
        origins: Int32Array.from(group, (k) => origins[k]!),
        places: Int32Array.from(group, (k) => places[k]!),
        children: null,
      });
    }
    const nodes = Array.from({ length: members.size }, (_, k) => first + k);
    return nodes.sort((a, b) => this.size(b) - this.size(a) || a - b);
  }
}

function sumOf(values: ArrayLike<number>, size: (value: number) => number): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) {
    sum += size(values[k]!);
  }
  return sum;
}
