/** A tool whose parts belong together: whose events are looked at, what its steps are called, and all of its answer. */

import type { ToolEntry } from "@tilescope/client";
import type { ComponentType } from "preact";
import { useMemo } from "preact/hooks";
import { Dashboard } from "../../answers/dashboard";
import { Answered } from "../../asking/states";
import type { PageProps } from "../contract";
import { PlacePicker } from "../frame/place-picker";
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
  const asked = useAnswer(context, tool.id, question);
  return (
    <>
      <div class="tool-bar is-flat">
        <PlacePicker
          trace={context.trace}
          tracks={tracks}
          onChoose={(next) => setFields({ ...fields, tracks: next })}
        />
        {(context.trace.manifest.steps === null || stepName !== "") && (
          <label class="bar-flag" title="Slices of this name are the steps, where the trace marks none">
            Steps are called
            <input
              class="bar-text"
              type="text"
              value={stepName}
              placeholder="train_step"
              onChange={(event) => setFields({ ...fields, stepName: event.currentTarget.value.trim() })}
            />
          </label>
        )}
        <p class="page-of">Figures are of {context.rangeText}.</p>
      </div>
      <Answered asked={asked}>
        {(answer) => (
          <>
            {!answer.complete && <Incomplete />}
            <Dashboard tool={tool} answer={answer} links={context} rangeText={context.rangeText} onMore={null} />
          </>
        )}
      </Answered>
    </>
  );
}
