/** Rows that form a tree, as the lines that one sees: parents before their children, children of open rows only. */

import type { ToolTable } from "@tilescope/client";

/** True for a table that can be drawn as a tree. */
export function isTree({ parent, columns }: ToolTable): boolean {
  return parent !== null && (columns[0]?.values.length ?? 0) > 0;
}

/** The lines of a table: which row each shows and, in a tree, how deep it stands. */
export interface Lines {
  readonly rows: Uint32Array;
  /** null: no tree. */
  readonly depths: Uint16Array | null;
}

export class RowTree {
  readonly #parents: Int32Array;
  readonly #children: readonly (readonly number[])[];
  readonly roots: readonly number[];

  /** `parents`: the row number of each row's parent; -1: none. Parents stand before their children. */
  constructor(parents: ArrayLike<number | null>) {
    this.#parents = Int32Array.from(parents, (parent) => parent ?? -1);
    const children: number[][] = Array.from(this.#parents, () => []);
    const roots: number[] = [];
    this.#parents.forEach((parent, row) => {
      // What is no row before this one would make a circle.
      (parent >= 0 && parent < row ? children[parent]! : roots).push(row);
    });
    this.#children = children;
    this.roots = roots;
  }

  get size(): number {
    return this.#parents.length;
  }

  hasChildren(row: number): boolean {
    return this.#children[row]!.length > 0;
  }

  parentOf(row: number): number {
    const parent = this.#parents[row] ?? -1;
    return parent < row ? parent : -1;
  }

  /** All rows that have children, down to a depth. */
  openTo(depth: number): Set<number> {
    const open = new Set<number>();
    const depths = new Uint16Array(this.size);
    for (let row = 0; row < this.size; row++) {
      const parent = this.parentOf(row);
      depths[row] = parent < 0 ? 0 : depths[parent]! + 1;
      if (depths[row]! < depth && this.hasChildren(row)) {
        open.add(row);
      }
    }
    return open;
  }

  /** Rows that match, with all above them. */
  withAncestors(matching: ArrayLike<number>): Uint8Array {
    const kept = new Uint8Array(this.size);
    for (let k = 0; k < matching.length; k++) {
      for (let row = matching[k]!; row >= 0 && kept[row] === 0; row = this.parentOf(row)) {
        kept[row] = 1;
      }
    }
    return kept;
  }

  /**
   * The lines on the screen. `kept` leaves out rows (null: none); `order` puts the children of a row in order.
   */
  lines(
    isOpen: (row: number) => boolean,
    kept: Uint8Array | null,
    order: (rows: readonly number[]) => ArrayLike<number>,
  ): Lines {
    const rows: number[] = [];
    const depths: number[] = [];
    const waiting: { readonly siblings: ArrayLike<number>; next: number }[] = [
      { siblings: order(this.roots), next: 0 },
    ];
    while (waiting.length > 0) {
      const top = waiting.at(-1)!;
      if (top.next === top.siblings.length) {
        waiting.pop();
        continue;
      }
      const row = top.siblings[top.next++]!;
      if (kept !== null && kept[row] === 0) {
        continue;
      }
      rows.push(row);
      depths.push(waiting.length - 1);
      if (this.hasChildren(row) && isOpen(row)) {
        waiting.push({ siblings: order(this.#children[row]!), next: 0 });
      }
    }
    return { rows: Uint32Array.from(rows), depths: Uint16Array.from(depths) };
  }
}
