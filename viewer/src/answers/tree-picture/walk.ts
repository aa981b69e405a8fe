/** From box to box by keys: up to the parent, down to the largest child, sideways to the next of the same level. */

import type { Boxes } from "./layout";
import { NO_NODE } from "./node-tree";

/** Boxes by level, then from left to right. */
export function readingOrder({ level, fromPx }: Boxes): Int32Array {
  const order = Int32Array.from(level.keys());
  return order.sort((a, b) => level[a]! - level[b]! || fromPx[a]! - fromPx[b]!);
}

/** The box to which a key leads; null: the key is none of these. */
export function boxByKey(boxes: Boxes, order: Int32Array, current: number, key: string): number | null {
  const place = order.indexOf(current);
  if (order.length === 0) {
    return null;
  }
  const first = order[0]!;
  switch (key) {
    case "ArrowUp":
      return place < 0 ? first : parentBox(boxes, current);
    case "ArrowDown":
      return place < 0 ? first : childBox(boxes, order, current);
    case "ArrowLeft":
    case "ArrowRight": {
      const next = order[place + (key === "ArrowRight" ? 1 : -1)];
      return place < 0 ? first : next !== undefined && boxes.level[next] === boxes.level[current] ? next : current;
    }
    case "Home":
      return first;
    case "End":
      return order[order.length - 1]!;
    default:
      return null;
  }
}

function parentBox({ node, parent }: Boxes, current: number): number {
  const above = parent[current]!;
  return above === NO_NODE ? current : node.indexOf(above);
}

function childBox({ node, parent }: Boxes, order: Int32Array, current: number): number {
  const box = node[current] === NO_NODE ? undefined : order.find((each) => parent[each] === node[current]);
  return box ?? current;
}
