/** The parts of a scope of a model, drawn: scopes are entered, and left by the way above. */

import type { ToolAnswer } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import { AnswerView } from "../../answers/answer-view";
import { Headline } from "../../answers/notes-list";
import { Answered } from "../../requests/states";
import { pick, picked } from "../../state/part-text";
import type { PageContext, PageProps } from "../contract";
import { useAnswer } from "../frame/use-answer";
import { Picture } from "../graph/picture";
import "../graph/graph.css";
import { PartCard } from "./card";
import type { ModelGraphFields } from "./fields";
import { partsModel } from "./model";

const TOOL = { id: "model_graph", title: "Model graph", help: "" };

export function ModelGraphView({ context, fields, setFields }: PageProps<ModelGraphFields>) {
  const { scope } = fields;
  const request = useAnswer(
    context,
    TOOL.id,
    useMemo(() => ({ scope }), [scope]),
  );
  const enter = (next: string) => {
    setFields({ scope: next });
    pick("");
  };
  const parts = scope === "" ? [] : scope.split("/");
  return (
    <>
      <nav class="tool-bar is-flat" aria-label="Scopes">
        {["All", ...parts].map((name, depth) => {
          const whole = parts.slice(0, depth).join("/");
          return (
            <button
              key={whole}
              type="button"
              class="button is-outlined"
              disabled={depth === parts.length}
              onClick={() => enter(whole)}
            >
              {name}
            </button>
          );
        })}
        <p class="page-of">
          <span class="graph-key is-valid">on a TPU</span> <span class="graph-key is-mixed">in part</span>{" "}
          <span class="graph-key is-invalid">not on a TPU</span> <span class="graph-key is-data">not judged</span>
        </p>
      </nav>
      <Answered request={request}>
        {(answer) => <Shown key={scope} answer={answer} context={context} scope={scope} onEnter={enter} />}
      </Answered>
    </>
  );
}

interface ShownProps {
  readonly answer: ToolAnswer;
  readonly context: PageContext;
  readonly scope: string;
  readonly onEnter: (scope: string) => void;
}

function Shown({ answer, context, scope, onEnter }: ShownProps) {
  const model = useMemo(() => partsModel(answer), [answer]);
  const chosen = Number(picked.value);
  const focus = Number.isInteger(chosen) && model?.nodes[chosen] !== undefined ? chosen : 0;
  const scopes = answer.tables.find(({ id }) => id === "nodes")?.columns.find(({ id }) => id === "scope")?.values ?? [];
  const enter = (row: number) => {
    const next = scopes[row];
    if (typeof next === "string") {
      onEnter(next);
    }
  };
  return (
    <>
      <Headline answer={answer} links={context} />
      {model !== null && (
        <div class="graph">
          <Picture
            model={model}
            focus={focus}
            label="Parts of the model, inputs above their users"
            onFocus={(row) => pick(row === 0 ? "" : String(row))}
            onCentre={({ row }) => enter(row)}
            onToggle={({ row }) => enter(row)}
          />
          <PartCard
            answer={answer}
            model={model}
            node={model.nodes[focus]!}
            scope={scope}
            context={context}
            onEnter={({ row }) => enter(row)}
          />
        </div>
      )}
      <AnswerView
        tool={TOOL}
        answer={{ ...answer, headline: null }}
        links={context}
        rangeText="the model"
        onMore={null}
      />
    </>
  );
}
