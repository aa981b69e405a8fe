/** A tool whose parts belong together: whose events are looked at, what its steps are called, and all of its answer. */

import type { ToolAnswer, ToolEntry } from "@tilescope/client";
import type { ComponentType } from "preact";
import { useMemo } from "preact/hooks";
import { Dashboard } from "../../answers/dashboard";
import { Answered } from "../../requests/states";
import type { PageProps } from "../contract";
import { inPageWords } from "../frame/page-words";
import { PlacePicker } from "../frame/place-picker";
import { besideStepChoice, candidatesOf, NotRecorded, StepChoice, StepProposal } from "../frame/step-choice";
import { Incomplete } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import type { DashboardFields } from "./fields";

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
  const { tracks, stepName } = fields;
  const question = useMemo(
    () => ({ ...(tracks === "" ? {} : { tracks }), ...(stepName === "" ? {} : { step_name: stepName }) }),
    [tracks, stepName],
  );
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
        <p class="page-of">Figures are of {context.rangeText}.</p>
      </div>
      <Answered
        request={request}
        words={inPageWords}
        isEmpty={isNothing}
        empty={(answer) => <NotRecorded {...answer} />}
      >
        {(answer) => (
          <>
            {!answer.complete && <Incomplete />}
            <Dashboard
              tool={tool}
              answer={besideStepChoice(answer)}
              links={context}
              rangeText={context.rangeText}
              onMore={null}
              proposal={<StepProposal candidates={candidates} time={context.time} onChoose={choose} />}
            />
          </>
        )}
      </Answered>
    </>
  );
}

/** Nothing but figures that were not recorded: why stands on the page, in full. */
function isNothing({ facts, tables, series, notes }: ToolAnswer): boolean {
  const parts = tables.length + series.length + notes.length;
  return parts === 0 && facts.every(({ value }) => value === null);
}
