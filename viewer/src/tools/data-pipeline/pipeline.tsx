/** The pipeline of data, drawn: a click, or the arrows, lead to an operation or a queue, and open its curve. */

import "../graph/graph.css";
import type { ToolAnswer } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import { choices } from "../../answers/answer-view";
import { ChartCard } from "../../answers/chart-card";
import { pick, picked } from "../../state/part-text";
import type { PageContext } from "../contract";
import { Picture } from "../graph/picture";
import { PipelineCard } from "./card";
import { curveOf, pipelineModel } from "./model";

export interface PipelineProps {
  readonly answer: ToolAnswer;
  readonly context: PageContext;
}

/** Nothing where the answer has no pipeline. */
export function DataPipeline({ answer, context }: PipelineProps) {
  const model = useMemo(() => pipelineModel(answer), [answer]);
  const chosen = Number(picked.value || Number.NaN);
  if (model === null) {
    return null;
  }
  const focus = model.nodes[chosen] === undefined ? model.middle : chosen;
  const setChosen = (row: number) => pick(String(row));
  const curve = curveOf(answer, model, focus);
  return (
    <section class="data-pipeline" aria-label="Pipeline of data">
      <h2 class="tab-title">Pipeline of data</h2>
      <div class="graph">
        <Picture
          model={model}
          focus={focus}
          label="Operations of the pipeline and the queues between them, from reading at the top to the device"
          onFocus={setChosen}
          onCentre={({ row }) => setChosen(row)}
          onToggle={({ row }) => setChosen(row)}
        />
        <PipelineCard answer={answer} model={model} focus={focus} context={context} />
      </div>
      {curve !== null && (
        <ChartCard
          key={curve.title}
          head={<h2 class="tab-title">{curve.title}</h2>}
          series={curve}
          tables={[]}
          choices={choices("input_pipeline", "data_samples")}
          onRow={() => undefined}
          links={context}
          rangeText="the whole recording"
        />
      )}
    </section>
  );
}
