/** The critical path: its sentence, its shares as one bar, and all of the answer. */

import type { ToolAnswer } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import { Headline } from "../../answers/notes-list";
import { BarSelect } from "../../components/bar-select";
import { formatCount } from "../../components/format";
import { Answered } from "../../requests/states";
import type { PageProps } from "../contract";
import { PageHead } from "../frame/page-head";
import { ToolAnswerView } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { type CriticalPathFields, FIELDS, LIMITS } from "./fields";
import { PathBar } from "./path-bar";
import { chartKinds, pathParts, pathSpan } from "./path-parts";

const TOOL = { id: "critical_path", title: "Critical path", help: "" };

type ViewProps = Pick<PageProps<CriticalPathFields>, "context" | "fields" | "setFields">;

export function CriticalPathView({ context, fields, setFields }: ViewProps) {
  const { kind, limit, tracks } = fields;
  const question = useMemo(() => FIELDS.format({ kind, limit, tracks }), [kind, limit, tracks]);
  const request = useAnswer(context, TOOL.id, question);
  return (
    <>
      <PageHead context={context} fields={fields} setFields={setFields}>
        <BarSelect
          label="Rows to list"
          choices={LIMITS.map((value) => ({ value, text: `At most ${formatCount(Number(value))} rows a table` }))}
          chosen={limit}
          onChoose={(next) => setFields({ ...fields, limit: next })}
        />
      </PageHead>
      <Answered request={request}>
        {(answer) => <Shown answer={answer} context={context} fields={fields} setFields={setFields} />}
      </Answered>
    </>
  );
}

function Shown({ answer, context, fields, setFields }: ViewProps & { readonly answer: ToolAnswer }) {
  const parts = useMemo(() => pathParts(answer), [answer]);
  const span = pathSpan(answer);
  const tracks = answer.tables.find(({ id }) => id === "tracks")?.columns.find(({ id }) => id === "track")?.values;
  const track = tracks?.[0] ?? null;
  return (
    <>
      <Headline answer={answer} links={context} />
      {parts.length > 0 && (
        <PathBar
          parts={parts}
          kinds={chartKinds(answer)}
          context={context}
          kind={fields.kind}
          onKind={(kind) => setFields({ ...fields, kind })}
          onTimeline={span === null ? null : () => context.goTo(span, track === null ? null : Number(track))}
        />
      )}
      <ToolAnswerView tool={TOOL} answer={{ ...answer, headline: null }} context={context} />
    </>
  );
}
