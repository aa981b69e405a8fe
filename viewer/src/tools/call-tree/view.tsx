/** The call tree: a picture of the slices in slices of a range, and the table of its nodes. */

import { useMemo } from "preact/hooks";
import { GROUPING_TEXTS, GROUPINGS } from "../../answers/tree-groupings";
import { formatCount } from "../../components/format";
import { Answered } from "../../requests/states";
import type { PageProps } from "../contract";
import { Choices } from "../frame/choices";
import { PlacePicker } from "../frame/place-picker";
import { ToolAnswerView } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { type CallTreeFields, LIMITS, type Limit } from "./fields";

const TOOL = { id: "call_tree", title: "Call tree", help: "" };

export function CallTreeView({ context, fields, setFields }: PageProps<CallTreeFields>) {
  const { by, limit, tracks } = fields;
  const question = useMemo(() => ({ by, limit, ...(tracks === "" ? {} : { tracks }) }), [by, limit, tracks]);
  const request = useAnswer(context, TOOL.id, question);
  return (
    <>
      <div class="tool-bar is-flat">
        <Choices
          label="Trees"
          choices={GROUPINGS.map((value) => ({ value, text: GROUPING_TEXTS[value] }))}
          chosen={by}
          onChoose={(next) => setFields({ ...fields, by: next })}
        />
        <select
          class="bar-select"
          aria-label="How much is listed"
          value={limit}
          onChange={(event) => setFields({ ...fields, limit: event.currentTarget.value as Limit })}
        >
          {LIMITS.map((choice) => (
            <option key={choice} value={choice}>
              The {formatCount(Number(choice))} largest nodes
            </option>
          ))}
        </select>
        <PlacePicker
          trace={context.trace}
          tracks={tracks}
          onChoose={(next) => setFields({ ...fields, tracks: next })}
        />
        <p class="page-of">Figures are of {context.rangeText}.</p>
      </div>
      <Answered request={request}>
        {(answer) => <ToolAnswerView tool={TOOL} answer={answer} context={context} hasPictures={true} />}
      </Answered>
    </>
  );
}
