/** The pipeline of an answer of `input_pipeline` as a drawing of `tools/graph`: operations, and a queue behind each. Pure. */

import type { ToolAnswer, ToolSeries, ToolTable } from "@tilescope/client";
import { percentDigits } from "../../components/percent";
import type { GraphEdge, GraphModel, GraphNode } from "../graph/model";

/** Tables and the series of the answer that are drawn. */
export const OPERATIONS = "data_operations";
export const QUEUES = "data_queues";
export const SAMPLES = "data_samples";

/** The word of the server for an operation that keeps the others waiting. */
const BOTTLENECK = "bottleneck";

export interface PipelineModel extends GraphModel {
  /** The row of the table of queues that a node draws, by the row of the node; operations have none. */
  readonly queueRows: ReadonlyMap<number, number>;
}

/** Null where the answer has no operations. */
export function pipelineModel(answer: ToolAnswer): PipelineModel | null {
  const operations = tableOf(answer, OPERATIONS);
  const names = valuesOf(operations, "operation");
  if (names.length === 0) {
    return null;
  }
  const [verdicts, workers] = [valuesOf(operations, "verdict"), valuesOf(operations, "workers")];
  const nodes: GraphNode[] = names.map((name, row) => ({
    ...BARE,
    row,
    name: String(name),
    opcode: workers[row] === null ? "" : `workers: ${String(workers[row])}`,
    shape: verdicts[row] === BOTTLENECK ? `${workers[row] === null ? "" : "· "}${BOTTLENECK}` : "",
    family: verdicts[row] === BOTTLENECK ? "invalid" : "compute",
  }));
  const edges: GraphEdge[] = [];
  const queueRows = new Map<number, number>();
  const nodeOf = new Map<number, number>();
  const queues = tableOf(answer, QUEUES);
  const [targets, usages] = [valuesOf(queues, "target"), valuesOf(queues, "usage")];
  valuesOf(queues, "source").forEach((cell, queueRow) => {
    const [source, target, usage] = [Number(cell), Number(targets[queueRow]), usages[queueRow] ?? null];
    let behind = usage === null ? source : nodeOf.get(source);
    if (behind === undefined) {
      behind = nodes.length;
      nodeOf.set(source, behind);
      queueRows.set(behind, queueRow);
      edges.push({ source, target: behind });
      nodes.push({
        ...BARE,
        row: behind,
        name: "Queue",
        opcode: `${percentDigits(Number(usage), 0)} % filled`,
        family: "data",
      });
    }
    if (target >= 0) {
      edges.push({ source: behind, target });
    }
  });
  const slow = verdicts.indexOf(BOTTLENECK);
  return { nodes, edges, middle: Math.max(slow, 0), queueRows };
}

/** The curve of the queue that a node is, or that lies behind it; null: it has none. */
export function curveOf(answer: ToolAnswer, model: PipelineModel, row: number): ToolSeries | null {
  const series = answer.series.find(({ id }) => id === SAMPLES);
  const operation = operationOf(model, row);
  const number = valuesOf(tableOf(answer, OPERATIONS), "number")[operation];
  const y = series?.ys.find(({ id }) => id === `queue_${String(number)}`);
  if (series === undefined || y === undefined) {
    return null;
  }
  return { ...series, title: `Queue behind ${model.nodes[operation]!.name} over samples`, ys: [y] };
}

/** The operation that a node is, or that fills the queue which it is. */
export function operationOf(model: PipelineModel, row: number): number {
  return model.queueRows.has(row) ? (model.edges.find(({ target }) => target === row)?.source ?? row) : row;
}

const BARE = { opcode: "", shape: "", share: null, distance: 0, inside: 0, isOpen: false, frame: -1 } as const;

function tableOf(answer: ToolAnswer, id: string): ToolTable | undefined {
  return answer.tables.find((table) => table.id === id);
}

function valuesOf(table: ToolTable | undefined, id: string): readonly unknown[] {
  return table?.columns.find((column) => column.id === id)?.values ?? [];
}
