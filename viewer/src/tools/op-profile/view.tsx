/** The op profile: what to look at first, the choices, and the tree with all of an operation beside it. */

import type { ToolAnswer } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import { BarSelect } from "../../components/bar-select";
import { Answered } from "../../requests/states";
import type { PageContext, PageProps } from "../contract";
import { Choices } from "../frame/choices";
import { PageHead } from "../frame/page-head";
import { ToolAnswerView } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { GROUPINGS, type Grouping, LISTED, type Listed, type OpProfileFields, part } from "./fields";

const TOOL = { id: "op_profile", title: "Op profile", help: "" };

const BY: Readonly<Record<Grouping, string>> = {
  program: "Program",
  category: "Category",
  provenance: "Framework path",
  module: "Module",
  annotation: "Annotation",
};

const PARTS: Readonly<Record<Listed, string>> = {
  "limit=10": "Top 10 of each part",
  "limit=20": "Top 20 of each part",
  "limit=50": "Top 50 of each part",
  "limit=100": "Top 100 of each part",
  "cover=90": "Top 90 % of each part's time",
};

export function OpProfileView({ context, fields, setFields }: PageProps<OpProfileFields>) {
  const { by, withIdle, listed, tracks } = fields;
  const question = useMemo(
    () => ({ by, with_idle: String(withIdle), ...part(listed), ...(tracks === "" ? {} : { tracks }) }),
    [by, withIdle, listed, tracks],
  );
  const request = useAnswer(context, TOOL.id, question);
  return (
    <>
      <PageHead context={context} fields={fields} setFields={setFields}>
        <Choices
          label="Parts by"
          choices={GROUPINGS.map((value) => ({ value, text: BY[value] }))}
          chosen={by}
          onChoose={(next) => setFields({ ...fields, by: next })}
        />
        <label class="bar-flag" title="Whether shares are of all time, or of that in which devices work">
          <input
            type="checkbox"
            checked={withIdle}
            onChange={(event) => setFields({ ...fields, withIdle: event.currentTarget.checked })}
          />
          Idle time
        </label>
        <BarSelect
          label="Rows to list"
          choices={LISTED.map((value) => ({ value, text: PARTS[value] }))}
          chosen={listed}
          onChoose={(next) => setFields({ ...fields, listed: next })}
        />
      </PageHead>
      <Answered request={request}>
        {(answer) => <Tree answer={answer} context={context} operation={fields.operation} />}
      </Answered>
    </>
  );
}

interface TreeProps {
  readonly answer: ToolAnswer;
  readonly context: PageContext;
  readonly operation: string;
}

/** The answer; what one has come for has the focus, where it is listed. */
function Tree({ answer, context, operation }: TreeProps) {
  const wanted = useMemo(() => {
    const names = answer.tables.find(({ id }) => id === "operations")?.columns.find(({ id }) => id === "name")?.values;
    const row = operation === "" ? -1 : (names?.indexOf(operation) ?? -1);
    return row < 0 ? null : { table: "operations", row };
  }, [answer, operation]);
  return (
    <>
      {operation !== "" && wanted === null && (
        <p class="page-note" role="status">
          {operation} is not among the operations that are listed here.
        </p>
      )}
      <ToolAnswerView tool={TOOL} answer={answer} context={context} wanted={wanted} />
    </>
  );
}
