/** Facts of the operation or the queue that has the focus, and what lies around it. */

import type { ToolAnswer } from "@tilescope/client";
import { figureText } from "../../answers/figures";
import type { PageContext } from "../contract";
import { beside } from "../graph/model";
import { OPERATIONS, operationOf, type PipelineModel, QUEUES } from "./model";

interface Props {
  readonly answer: ToolAnswer;
  readonly model: PipelineModel;
  readonly focus: number;
  readonly context: PageContext;
}

const OF_OPERATIONS = ["verdict", "workers", "usage", "average", "length"];
const OF_QUEUES = ["usage", "samples", "empty", "full"];

export function PipelineCard({ answer, model, focus, context }: Props) {
  const queueRow = model.queueRows.get(focus);
  const isQueue = queueRow !== undefined;
  const table = answer.tables.find(({ id }) => id === (isQueue ? QUEUES : OPERATIONS));
  const row = queueRow ?? focus;
  const facts = (isQueue ? OF_QUEUES : OF_OPERATIONS)
    .map((id) => table?.columns.find((column) => column.id === id))
    .filter((column) => column !== undefined)
    .filter(({ values }) => (values[row] ?? null) !== null)
    .map((column) => {
      const { digits, unit } = figureText(column, column.values[row] ?? null, context.time);
      return { title: column.title, text: unit === "" ? digits : `${digits} ${unit}` };
    });
  const { sources, targets } = beside(model, focus);
  const namesOf = (rows: readonly number[]) =>
    [...new Set(rows.map((node) => model.nodes[isQueue ? node : operationOf(model, node)]!.name))].join(", ");
  const takers = isQueue
    ? targets
    : targets.flatMap((node) => (model.queueRows.has(node) ? beside(model, node).targets : [node]));
  const neighbours = [
    { title: isQueue ? "Filled by" : "Takes from", text: namesOf(sources) },
    { title: isQueue ? "Emptied by" : "Gives to", text: namesOf(takers) || "the device" },
  ].filter(({ text }) => text !== "");
  const cpu = context.toolPage?.("cpu") ?? null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keys
    <aside class="graph-card" tabIndex={0} aria-label="Operation or queue">
      <h2>{isQueue ? `Queue behind ${model.nodes[operationOf(model, focus)]!.name}` : model.nodes[focus]!.name}</h2>
      <dl>
        {[...facts, ...neighbours].map(({ title, text }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {cpu !== null && (
        <div class="graph-deeds">
          <button type="button" class="button is-outlined" onClick={() => cpu.open()}>
            {cpu.title}
          </button>
        </div>
      )}
    </aside>
  );
}
