/** The step trace: a picture of the parts of one step, or of the mean of several, and all of its answer. */

import type { ToolAnswer } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import { isRecorded } from "../../answers/figures";
import { Headline } from "../../answers/notes-list";
import { Answered } from "../../requests/states";
import type { PageContext, PageProps } from "../contract";
import { PageHead } from "../frame/page-head";
import { ToolAnswerView } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { FIELDS, type StepTraceFields } from "./fields";
import { StepPicture } from "./picture";
import { PointChoice } from "./point-choice";

/** Facts that stand below the picture. */
const POINTS = ["fp_start", "bp_end"];

const TOOL = { id: "step_trace", title: "Step trace", help: "" };

export function StepTraceView({ context, fields, setFields }: PageProps<StepTraceFields>) {
  const { tracks, forwardStart, backwardEnd } = fields;
  const question = useMemo(
    () => FIELDS.format({ tracks, forwardStart, backwardEnd }),
    [tracks, forwardStart, backwardEnd],
  );
  const request = useAnswer(context, TOOL.id, question);
  const { state } = request;
  return (
    <>
      <PageHead context={context} fields={fields} setFields={setFields}>
        <PointChoice answer={state.kind === "answered" ? state.answer : null} fields={fields} onChoose={setFields} />
      </PageHead>
      <Answered request={request}>{(answer) => <Shown answer={answer} context={context} />}</Answered>
    </>
  );
}

function Shown({ answer, context }: { readonly answer: ToolAnswer; readonly context: PageContext }) {
  const parts = answer.tables.find(({ id }) => id === "parts");
  return (
    <>
      <Headline answer={answer} links={context} />
      {parts !== undefined && (parts.columns[0]?.values.length ?? 0) > 0 && (
        <StepPicture
          parts={parts}
          context={context}
          points={answer.facts.filter(({ id, value }) => POINTS.includes(id) && isRecorded(value))}
        />
      )}
      <ToolAnswerView tool={TOOL} answer={{ ...answer, headline: null }} context={context} />
    </>
  );
}
