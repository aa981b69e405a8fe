/** Attributes of the part that has the focus, and what of it a TPU cannot run. */

import type { ToolAnswer } from "@tilescope/client";
import { figureText } from "../../answers/figures";
import type { PageContext } from "../contract";
import { beside, type GraphModel, type GraphNode } from "../graph/model";
import { attributesOf, lackingIn } from "./model";

interface Props {
  readonly answer: ToolAnswer;
  readonly model: GraphModel;
  readonly node: GraphNode;
  readonly scope: string;
  readonly context: PageContext;
  readonly onEnter: (node: GraphNode) => void;
}

const OF_OPERATIONS = ["opcode", "verdict", "device"];
const OF_SCOPES = ["verdict", "operations", "share", "valid", "invalid", "elsewhere"];
const MOST_LISTED = 50;

export function PartCard({ answer, model, node, scope, context, onEnter }: Props) {
  const table = answer.tables.find(({ id }) => id === "nodes")!;
  const isScope = node.inside > 0;
  const facts = (isScope ? OF_SCOPES : OF_OPERATIONS)
    .map((id) => table.columns.find((column) => column.id === id))
    .filter((column) => column !== undefined)
    .filter(({ values }) => (values[node.row] ?? null) !== null)
    .map((column) => {
      const { digits, unit } = figureText(column, column.values[node.row] ?? null, context.time);
      return { title: column.title, text: unit === "" ? digits : `${digits} ${unit}` };
    });
  const { sources, targets } = beside(model, node.row);
  const namesOf = (rows: readonly number[]) => rows.map((row) => model.nodes[row]!.name).join(", ");
  const neighbours = [
    { title: "Inputs in this scope", text: namesOf(sources) },
    { title: "Users in this scope", text: namesOf(targets) },
  ].filter(({ text }) => text !== "");
  const attributes = attributesOf(answer, node.row);
  const lacking = isScope ? lackingIn(answer, scope, node.name) : [];
  const count = Number(table.columns.find(({ id }) => id === "invalid")?.values[node.row] ?? 0);
  const listed = lacking.slice(0, MOST_LISTED);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keys
    <aside class="graph-card" tabIndex={0} aria-label="Part of the model">
      <h2>{node.name}</h2>
      <dl>
        {[...facts, ...neighbours].map(({ title, text }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {attributes.length > 0 && (
        <>
          <h3>Attributes</h3>
          <dl class="graph-attributes">
            {attributes.map(({ title, text }) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {listed.length > 0 && (
        <>
          <h3>Not on a TPU</h3>
          <ul>
            {listed.map(({ name, op }) => (
              <li key={name}>
                {name} ({op})
              </li>
            ))}
          </ul>
          {count > listed.length && <p>{count - listed.length} more: enter the scope to see them</p>}
        </>
      )}
      {isScope && (
        <div class="graph-deeds">
          <button type="button" class="button is-outlined" onClick={() => onEnter(node)}>
            Enter
          </button>
        </div>
      )}
    </aside>
  );
}
