/** A tool whose parts belong together: whose events are looked at, what its steps are called, and all of its answer. */

import type { ToolAnswer, ToolEntry } from "@tilescope/client";
import type { ComponentType } from "preact";
import { useMemo } from "preact/hooks";
import { Dashboard } from "../../answers/dashboard";
import { Answered } from "../../requests/states";
import { isGrowing } from "../../state/answer-values";
import type { PageProps } from "../contract";
import { SAMPLES } from "../data-pipeline/model";
import { PipelineLoader } from "../data-pipeline/pipeline-loader";
import { RankPicker } from "../data-pipeline/rank-picker";
import { DataStages } from "../data-pipeline/stages";
import { inPageWords } from "../frame/page-words";
import { PlacePicker } from "../frame/place-picker";
import { besideStepChoice, candidatesOf, NotRecorded, StepChoice, StepProposal } from "../frame/step-choice";
import { Incomplete } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { splitDigests } from "./digest-tables";
import { Digests } from "./digests";
import { type DashboardFields, FIELDS, fieldsOf } from "./fields";

type ViewProps = PageProps<DashboardFields>;

/** The view of a tool. */
export function dashboardOf(tool: Pick<ToolEntry, "id" | "title" | "help">): ComponentType<ViewProps> {
  return (props) => <View tool={tool} {...props} />;
}

function View({
  tool,
  context,
  fields,
  setFields,
}: ViewProps & { readonly tool: Pick<ToolEntry, "id" | "title" | "help"> }) {
  const { tracks, stepName, rank } = fieldsOf(tool.id, fields);
  const question = useMemo(() => FIELDS.format({ tracks, stepName, rank }), [tracks, stepName, rank]);
  const request = useAnswer(context, tool.id, question);
  const { state } = request;
  const candidates = useMemo(() => (state.kind === "answered" ? candidatesOf(state.answer) : []), [state]);
  const choose = (next: string) => setFields({ ...fields, stepName: next });
  const { steps, empty: isSaved } = context.trace.manifest;
  return (
    <>
      <div class="tool-bar is-flat">
        <PlacePicker
          trace={context.trace}
          tracks={tracks}
          onChoose={(next) => setFields({ ...fields, tracks: next })}
        />
        {!isSaved && (steps === null || stepName !== "") && (
          <StepChoice stepName={stepName} candidates={candidates} time={context.time} onChoose={choose} />
        )}
        <RankPicker
          answer={state.kind === "answered" ? state.answer : null}
          rank={rank}
          onChoose={(next) => setFields({ ...fields, rank: next })}
        />
        <p class="page-of">Figures are of {context.rangeText}.</p>
      </div>
      <Answered
        request={request}
        words={inPageWords}
        isEmpty={isNothing}
        empty={(answer) => <NotRecorded {...answer} />}
      >
        {(whole) => {
          const { digests, rest: answer } = splitDigests(whole);
          return (
            <>
              {isGrowing(answer) && <Incomplete />}
              <Dashboard
                tool={tool}
                answer={inWords(answer)}
                links={context}
                rangeText={context.rangeText}
                onMore={null}
                picture={
                  <>
                    <PipelineLoader answer={answer} context={context} />
                    <Digests digests={digests} context={context} />
                  </>
                }
                proposal={
                  <>
                    <StepProposal candidates={candidates} time={context.time} onChoose={choose} />
                    <DataStages answer={answer} context={context} />
                  </>
                }
              />
            </>
          );
        }}
      </Answered>
    </>
  );
}

/** Nothing but figures that were not recorded: why stands on the page, in full. */
function isNothing({ headline, facts, tables, series, notes }: ToolAnswer): boolean {
  const parts = tables.length + series.length + notes.length;
  return headline == null && parts === 0 && facts.every(({ value }) => value === null);
}

/** An answer without what the choice of steps and the picture show. */
function inWords(answer: ToolAnswer): ToolAnswer {
  return besideStepChoice({ ...answer, series: answer.series.filter(({ id }) => id !== SAMPLES) });
}
