/** The graph around an instruction: the choices, the drawing with all of a node beside it, and the tables. */

import type { ToolAnswer } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import { AnswerView } from "../../answers/answer-view";
import { Headline } from "../../answers/notes-list";
import { Answered } from "../../requests/states";
import { pick, picked } from "../../state/part-text";
import type { PageContext, PageProps } from "../contract";
import { useAnswer } from "../frame/use-answer";
import { NodeCard } from "./card";
import { DISTANCES, type GraphFields } from "./fields";
import "./graph.css";
import { type GraphModel, type GraphNode, graphModel } from "./model";
import { Picture } from "./picture";

const TOOL = { id: "graph", title: "Graph", help: "" };

export function GraphView({ context, fields, setFields }: PageProps<GraphFields>) {
  const { program, instruction, distance, open, find } = fields;
  const question = useMemo(
    () => ({ program, instruction, distance: String(distance), open: open.join(","), find }),
    [program, instruction, distance, open, find],
  );
  const request = useAnswer(context, TOOL.id, question);
  return (
    <>
      <div class="tool-bar is-flat">
        <Finder find={find} onFind={(next) => setFields({ ...fields, find: next })} />
        <label class="bar-flag">
          Distance
          <select
            class="bar-select"
            value={String(distance)}
            onChange={(event) => setFields({ ...fields, distance: Number(event.currentTarget.value) })}
          >
            {DISTANCES.map((choice) => (
              <option key={choice} value={String(choice)}>
                {choice}
              </option>
            ))}
          </select>
        </label>
        {open.length > 0 && (
          <button type="button" class="button is-outlined" onClick={() => setFields({ ...fields, open: [] })}>
            Close all
          </button>
        )}
        <p class="page-of">Programs are of the whole run.</p>
      </div>
      <Answered request={request}>
        {(answer) => <Shown answer={answer} context={context} fields={fields} setFields={setFields} />}
      </Answered>
    </>
  );
}

/** Search box for an instruction; the matches are a table below. */
function Finder({ find, onFind }: { find: string; onFind: (text: string) => void }) {
  return (
    <form
      class="bar-flag"
      onSubmit={(event) => {
        event.preventDefault();
        onFind(String(new FormData(event.currentTarget).get("find") ?? ""));
      }}
    >
      <input
        key={find}
        class="table-filter"
        type="search"
        name="find"
        aria-label="Find instructions"
        placeholder="Find instructions"
        defaultValue={find}
      />
      <button type="submit" class="button is-outlined">
        Find
      </button>
    </form>
  );
}

interface ShownProps {
  readonly answer: ToolAnswer;
  readonly context: PageContext;
  readonly fields: GraphFields;
  readonly setFields: (fields: GraphFields) => void;
}

function Shown({ answer, context, fields, setFields }: ShownProps) {
  const model = useMemo(() => graphModel(answer), [answer]);
  const rest = { ...answer, tables: answer.tables.filter(({ id }) => id !== "nodes" && id !== "edges") };
  /** Another graph: what was picked in this one is not in its middle. */
  const leave = (next: GraphFields) => {
    setFields(next);
    pick("");
  };
  const centre = ({ name }: Pick<GraphNode, "name">) => leave({ ...fields, instruction: name });
  const table = (id: string) => answer.tables.find((candidate) => candidate.id === id);
  const matches = table("found");
  const programs = table("programs");
  return (
    <>
      <Headline answer={answer} links={context} />
      <div class="graph-choosers">
        {programs !== undefined && (
          <Chooser
            label="Program"
            names={namesOf(programs)}
            chosen={String(answer.facts.find(({ id }) => id === "program")?.value ?? "")}
            onChoose={(name) =>
              leave({ program: name, instruction: "", distance: fields.distance, open: [], find: "" })
            }
          />
        )}
        {matches !== undefined && (
          <Chooser
            label={`${namesOf(matches).length === 200 ? "The first 200" : namesOf(matches).length} found`}
            names={namesOf(matches)}
            chosen=""
            onChoose={(name) => centre({ name })}
          />
        )}
      </div>
      {model !== null && (
        <Drawing
          key={`${fields.program} ${fields.instruction}`}
          model={model}
          answer={answer}
          context={context}
          onCentre={centre}
          onToggle={(node) => setFields({ ...fields, open: toggled(fields.open, node, model) })}
        />
      )}
      <AnswerView
        tool={TOOL}
        answer={{ ...(model === null ? rest : answer), headline: null }}
        links={context}
        rangeText="the whole run"
        onMore={null}
      />
    </>
  );
}

function Drawing({
  model,
  answer,
  context,
  onCentre,
  onToggle,
}: {
  model: GraphModel;
  answer: ToolAnswer;
  context: PageContext;
  onCentre: (node: GraphNode) => void;
  onToggle: (node: GraphNode) => void;
}) {
  const node =
    model.nodes.find((candidate) => candidate.name === picked.value && !candidate.isOpen) ?? model.nodes[model.middle]!;
  const table = answer.tables.find(({ id }) => id === "nodes")!;
  return (
    <div class="graph">
      <Picture
        model={model}
        focus={node.row}
        label="Instructions around, operands above their users"
        onFocus={(row) => pick(row === model.middle ? "" : model.nodes[row]!.name)}
        onCentre={onCentre}
        onToggle={onToggle}
      />
      <NodeCard
        table={table}
        node={node}
        isMiddle={node.row === model.middle}
        context={context}
        program={String(answer.facts.find(({ id }) => id === "program")?.value ?? "")}
        onCentre={onCentre}
        onToggle={onToggle}
      />
    </div>
  );
}

/** A node that runs others is opened; of any other the frame that it is in is closed. */
function toggled(open: readonly string[], node: GraphNode, model: GraphModel): readonly string[] {
  if (node.inside > 0) {
    return [...open.filter((name) => name !== node.name), node.name];
  }
  const frame = node.frame < 0 ? undefined : model.nodes[node.frame];
  return frame === undefined ? open : open.filter((name) => name !== frame.name);
}

function namesOf(table: { columns: readonly { id: string; values: readonly unknown[] }[] }): readonly string[] {
  return (table.columns.find(({ id }) => id === "name")?.values ?? []).map(String);
}

interface ChooserProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

function Chooser({ label, names, chosen, onChoose }: ChooserProps) {
  return (
    <label class="graph-chooser">
      {label}
      <select class="bar-select" value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        {chosen === "" && <option value="">Choose …</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
