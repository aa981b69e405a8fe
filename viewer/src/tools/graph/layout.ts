/** Layout of the nodes and edges of a graph: operands above their users, open ones as frames around what they run. */

import { graphlib, layout } from "@dagrejs/dagre";
import type { GraphModel, GraphNode } from "./model";

export interface NodeBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** By row; x and y are of the upper left corner. */
  readonly boxes: ReadonlyMap<number, NodeBox>;
  /** Points that each edge of the model goes through. */
  readonly paths: readonly (readonly Point[])[];
}

export const NODE_HEIGHT = 44;
const LEAST_WIDTH = 96;
const MOST_WIDTH = 232;
const CHARACTER_WIDTH = 7.2;
const PADDING = 20;

/** Characters of the count beside the name of an instruction that runs others: "+108". */
const COUNT_CHARACTERS = 6;

export function layOut(model: GraphModel): GraphLayout {
  const graph = new graphlib.Graph({ compound: true, multigraph: false });
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 34, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const filled = new Set(model.nodes.map(({ frame }) => frame));
  const drawn = model.nodes.filter(({ row, isOpen }) => !isOpen || filled.has(row));
  for (const node of drawn) {
    graph.setNode(String(node.row), node.isOpen ? {} : { width: widthOf(node), height: NODE_HEIGHT });
  }
  for (const { row, frame } of drawn) {
    if (frame >= 0) {
      graph.setParent(String(row), String(frame));
    }
  }
  for (const { source, target } of model.edges) {
    graph.setEdge(String(source), String(target));
  }
  layout(graph);
  const boxes = new Map<number, NodeBox>();
  for (const { row } of drawn) {
    const { x, y, width, height } = graph.node(String(row)) as NodeBox;
    boxes.set(row, { x: x - width / 2, y: y - height / 2, width, height });
  }
  const paths = model.edges.map(
    ({ source, target }) => (graph.edge(String(source), String(target)) as { points: Point[] }).points,
  );
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { width: Math.max(width, 1), height: Math.max(height, 1), boxes, paths };
}

function widthOf({ name, opcode, shape, inside }: GraphNode): number {
  const characters = Math.max(name.length + (inside > 0 ? COUNT_CHARACTERS : 0), opcode.length + shape.length + 1);
  return Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, Math.ceil(characters * CHARACTER_WIDTH) + PADDING));
}

/** A text that keeps its beginning. */
export function fitted(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}
