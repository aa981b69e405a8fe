/** The answer of the tool `graph` as nodes and edges. */

import type { ToolAnswer, ToolTable } from "@tilescope/client";

/** Families that are told apart by colour: what moves data, what computes, what runs others. */
export type Family =
  | "data"
  | "compute"
  | "collective"
  | "fusion"
  | "control"
  | "other"
  // Of models: what a TPU can run.
  | "valid"
  | "mixed"
  | "invalid";

export interface GraphNode {
  /** Its row in the table of instructions. */
  readonly row: number;
  readonly name: string;
  readonly opcode: string;
  readonly shape: string;
  readonly family: Family;
  /** Part of it that is drawn as valid, the rest as invalid; null: it has one colour. */
  readonly share: number | null;
  readonly distance: number;
  /** Number of instructions that it runs; 0: it is one itself. */
  readonly inside: number;
  /** True if it is a frame around others. */
  readonly isOpen: boolean;
  /** Row of the frame that it lies in, -1: none. */
  readonly frame: number;
}

export interface GraphEdge {
  readonly source: number;
  readonly target: number;
}

export interface GraphModel {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The row of the instruction in the middle. */
  readonly middle: number;
}

const COLLECTIVES = /^(all-|reduce-scatter|collective|send|recv|infeed|outfeed)/;
const CONTROL = /^(while|conditional|call|async|custom-call)/;
const COMPUTE = /^(dot|convolution|reduce|fft|triangular|cholesky|sort|scatter|gather)/;
const DATA =
  /^(parameter|constant|iota|tuple|get-tuple-element|copy|bitcast|broadcast|reshape|transpose|slice|concatenate|pad)/;

export function familyOf(opcode: string): Family {
  return opcode.startsWith("fusion")
    ? "fusion"
    : COLLECTIVES.test(opcode)
      ? "collective"
      : CONTROL.test(opcode)
        ? "control"
        : COMPUTE.test(opcode)
          ? "compute"
          : DATA.test(opcode)
            ? "data"
            : "other";
}

/** Null where the answer has no neighbourhood. */
export function graphModel(answer: ToolAnswer): GraphModel | null {
  const nodes = answer.tables.find(({ id }) => id === "nodes");
  const edges = answer.tables.find(({ id }) => id === "edges");
  if (nodes === undefined || edges === undefined) {
    return null;
  }
  const column = (id: string) => valuesOf(nodes, id);
  const [names, opcodes, shapes] = [column("name"), column("opcode"), column("shape")];
  const [distances, inside, isOpen, frames] = [
    column("distance"),
    column("inside"),
    column("is_open"),
    column("frame"),
  ];
  const made = names.map((name, row): GraphNode => {
    const opcode = String(opcodes[row] ?? "");
    return {
      row,
      name: String(name),
      opcode,
      shape: String(shapes[row] ?? ""),
      family: familyOf(opcode),
      share: null,
      distance: Number(distances[row]),
      inside: Number(inside[row] ?? 0),
      isOpen: isOpen[row] === true,
      frame: Number(frames[row]),
    };
  });
  const wanted = answer.facts.find(({ id }) => id === "instruction")?.value;
  const [sources, targets] = [valuesOf(edges, "source"), valuesOf(edges, "target")];
  return {
    nodes: made,
    edges: sources.map((source, row) => ({ source: Number(source), target: Number(targets[row]) })),
    middle: (made.find(({ name, isOpen }) => name === wanted && !isOpen) ?? made.find(isNearest))?.row ?? 0,
  };
}

/** True for the instruction that gives an open one its value. */
function isNearest({ distance, isOpen }: GraphNode): boolean {
  return distance === 0 && !isOpen;
}

function valuesOf(table: ToolTable, id: string): readonly unknown[] {
  return table.columns.find((column) => column.id === id)?.values ?? [];
}

/** Beside a node, for the keys: what it takes its value from, and what takes its value. */
export function beside({ edges }: GraphModel, row: number): { sources: number[]; targets: number[] } {
  return {
    sources: edges.filter(({ target }) => target === row).map(({ source }) => source),
    targets: edges.filter(({ source }) => source === row).map(({ target }) => target),
  };
}
