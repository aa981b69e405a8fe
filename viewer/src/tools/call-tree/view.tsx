/** The call tree: a picture of the slices in slices of a range, and the table of its nodes. */

import "./call-tree.css";
import { useMemo } from "preact/hooks";
import { GROUPING_TEXTS, GROUPINGS } from "../../answers/tree-groupings";
import { BarSelect } from "../../components/bar-select";
import { formatCount } from "../../components/format";
import { CloseIcon } from "../../components/icons";
import { Answered } from "../../requests/states";
import type { PageProps } from "../contract";
import { Choices } from "../frame/choices";
import { PageHead } from "../frame/page-head";
import { ToolAnswerView } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { type CallTreeFields, LIMITS, WEIGHTS, type Weight } from "./fields";

const WEIGHT_TEXTS: Readonly<Record<Weight, string>> = {
  time: "Time",
  device: "Work on devices",
  bytes: "Allocated bytes",
};

const TOOL = { id: "call_tree", title: "Call tree", help: "" };

export function CallTreeView({ context, fields, setFields }: PageProps<CallTreeFields>) {
  const { by, limit, weight, name, tracks } = fields;
  const question = useMemo(
    () => ({ by, limit, weight, ...(name === "" ? {} : { name }), ...(tracks === "" ? {} : { tracks }) }),
    [by, limit, weight, name, tracks],
  );
  const request = useAnswer(context, TOOL.id, question);
  return (
    <>
      <PageHead context={context} fields={fields} setFields={setFields}>
        <Choices
          label="Trees"
          choices={GROUPINGS.map((value) => ({ value, text: GROUPING_TEXTS[value] }))}
          chosen={by}
          onChoose={(next) => setFields({ ...fields, by: next })}
        />
        <BarSelect
          label="Weighed by"
          choices={WEIGHTS.map((value) => ({ value, text: WEIGHT_TEXTS[value] }))}
          chosen={weight}
          onChoose={(next) => setFields({ ...fields, weight: next })}
        />
        <BarSelect
          label="Rows to list"
          choices={LIMITS.map((value) => ({ value, text: `The ${formatCount(Number(value))} largest nodes` }))}
          chosen={limit}
          onChoose={(next) => setFields({ ...fields, limit: next })}
        />
        {name !== "" && (
          <button
            type="button"
            class="button is-outlined"
            title={`Only chains through ${name} are shown. Shows all of them`}
            onClick={() => setFields({ ...fields, name: "" })}
          >
            <span class="chain-name">{name}</span>
            <CloseIcon />
          </button>
        )}
      </PageHead>
      <Answered request={request}>
        {(answer) => <ToolAnswerView tool={TOOL} answer={answer} context={context} pictures="trees" />}
      </Answered>
    </>
  );
}
