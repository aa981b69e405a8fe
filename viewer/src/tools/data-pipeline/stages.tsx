/** The stages of data preparation in a row, in the order in which data pass them; those in doubt stand out. */

import "./data-pipeline.css";
import type { ToolAnswer } from "@tilescope/client";
import { figureText } from "../../answers/figures";
import type { PageContext } from "../contract";
import { stagesOf } from "./stages-model";

interface Props {
  readonly answer: ToolAnswer;
  readonly context: PageContext;
}

/** Words for the verdicts of the server. */
const WORDS: Readonly<Record<string, string>> = { warning: "in doubt", normal: "normal" };

const CLASSES: Readonly<Record<string, string>> = { warning: "data-stage is-doubted", normal: "data-stage is-normal" };

export function DataStages({ answer, context }: Props) {
  const stages = stagesOf(answer);
  if (stages.length === 0) {
    return null;
  }
  return (
    <ol class="data-stages" aria-label="Stages of data preparation">
      {stages.map(({ title, verdict, columns }) => (
        <li key={title} class={CLASSES[verdict ?? ""] ?? "data-stage"}>
          <strong>{title}</strong>
          <span class="data-stage-verdict">{verdict === null ? "not judged" : (WORDS[verdict] ?? verdict)}</span>
          <dl>
            {columns.map(({ column, value }) => {
              const { digits, unit } = figureText(column, value, context.time);
              return (
                <div key={column.id}>
                  <dt>{column.title}</dt>
                  <dd>{unit === "" ? digits : `${digits} ${unit}`}</dd>
                </div>
              );
            })}
          </dl>
        </li>
      ))}
    </ol>
  );
}
