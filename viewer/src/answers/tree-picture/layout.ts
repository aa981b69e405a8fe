/** Boxes of a tree: a row of the picture for each level, widths by size. What is narrower than a pixel is drawn as one. */

import { NO_NODE, type NodeTree } from "./node-tree";

/** Boxes, level by level in no order. */
export interface Boxes {
  /** The node of each; NO_NODE: several that are too narrow, side by side. */
  readonly node: Int32Array;
  /** The node in which it lies, NO_NODE for the whole. */
  readonly parent: Int32Array;
  readonly level: Int32Array;
  readonly fromPx: Float64Array;
  readonly toPx: Float64Array;
  /** Nodes that it stands for: 1, or more where they are too narrow. */
  readonly count: Int32Array;
  readonly levels: number;
}

/** Boxes that are narrower are drawn with those beside them. */
export const LEAST_PX = 1;

/** All such boxes of one parent are drawn together if they are at least as wide. */
const LEAST_REST_PX = 0.5;

/** Boxes below the zoomed node, which is as wide as the picture, and so is all above it. NO_NODE: all roots. */
export function layOut(tree: NodeTree, zoomed: number, widthPx: number): Boxes {
  const boxes = new BoxList();
  const path = pathTo(tree, zoomed);
  path.forEach((node, level) => {
    boxes.add(node, path[level - 1] ?? NO_NODE, level, 0, widthPx, 1);
  });
  const waiting: { readonly parent: number; readonly level: number; readonly fromPx: number; readonly toPx: number }[] =
    [{ parent: zoomed, level: path.length, fromPx: 0, toPx: widthPx }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { parent, level, fromPx, toPx } = place;
    const children = parent === NO_NODE ? tree.roots : tree.children(parent);
    const size = parent === NO_NODE ? tree.total : tree.size(parent);
    const pxPerSize = size > 0 ? (toPx - fromPx) / size : 0;
    let x = fromPx;
    for (let k = 0; k < children.length; k++) {
      const node = children[k]!;
      const childPx = tree.size(node) * pxPerSize;
      if (childPx < LEAST_PX) {
        const restPx = restSize(tree, children, k) * pxPerSize;
        if (restPx >= LEAST_REST_PX) {
          boxes.add(NO_NODE, parent, level, x, Math.min(x + restPx, toPx), children.length - k);
        }
        break;
      }
      boxes.add(node, parent, level, x, x + childPx, 1);
      waiting.push({ parent: node, level: level + 1, fromPx: x, toPx: x + childPx });
      x += childPx;
    }
  }
  return boxes.take();
}

/** The node and all around it, from the root down. */
export function pathTo(tree: NodeTree, node: number): readonly number[] {
  const path: number[] = [];
  for (let above = node; above !== NO_NODE; above = tree.parentOf(above)) {
    path.push(above);
  }
  return path.reverse();
}

function restSize(tree: NodeTree, children: ArrayLike<number>, first: number): number {
  let size = 0;
  for (let k = first; k < children.length; k++) {
    size += tree.size(children[k]!);
  }
  return size;
}

/** The box in a place of the picture; -1: none. */
export function boxAt(boxes: Boxes, level: number, xPx: number): number {
  return boxes.node.findIndex((_, k) => boxes.level[k] === level && boxes.fromPx[k]! <= xPx && xPx < boxes.toPx[k]!);
}

class BoxList {
  readonly #node: number[] = [];
  readonly #parent: number[] = [];
  readonly #level: number[] = [];
  readonly #fromPx: number[] = [];
  readonly #toPx: number[] = [];
  readonly #count: number[] = [];
  #levels = 0;

  add(node: number, parent: number, level: number, fromPx: number, toPx: number, count: number): void {
    this.#node.push(node);
    this.#parent.push(parent);
    this.#level.push(level);
    this.#fromPx.push(fromPx);
    this.#toPx.push(toPx);
    this.#count.push(count);
    this.#levels = Math.max(this.#levels, level + 1);
  }

  take(): Boxes {
    return {
      node: Int32Array.from(this.#node),
      parent: Int32Array.from(this.#parent),
      level: Int32Array.from(this.#level),
      fromPx: Float64Array.from(this.#fromPx),
      toPx: Float64Array.from(this.#toPx),
      count: Int32Array.from(this.#count),
      levels: this.#levels,
    };
  }
}
