/** All of the node that has the focus, and what can be done with it. */

import type { ToolColumn, ToolTable } from "@tilescope/client";
import { figureText } from "../../answers/figures";
import type { Links } from "../../answers/links";
import type { PageContext } from "../contract";
import type { GraphNode } from "./model";

interface Props {
  readonly table: ToolTable;
  readonly node: GraphNode;
  readonly isMiddle: boolean;
  readonly context: PageContext;
  /** The program, as the memory viewer knows it. */
  readonly program: string;
  readonly onCentre: (node: GraphNode) => void;
  readonly onToggle: (node: GraphNode) => void;
}

const SHOWN = ["opcode", "shape", "bytes", "operands", "users", "inside", "computation", "framework", "source"];

export function NodeCard({ table, node, isMiddle, context, program, onCentre, onToggle }: Props) {
  const column = (id: string) => table.columns.find((candidate) => candidate.id === id);
  const query = column("query")?.values[node.row];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keys
    <aside class="graph-card" tabIndex={0} aria-label="Instruction">
      <h2>{node.name}</h2>
      <dl>
        {SHOWN.map(column)
          .filter((column): column is ToolColumn => column !== undefined && (column.values[node.row] ?? null) !== null)
          .map((column) => (
            <div key={column.id}>
              <dt>{column.title}</dt>
              <dd>{worded(column, node.row, context)}</dd>
            </div>
          ))}
      </dl>
      <div class="graph-deeds">
        {!isMiddle && (
          <button type="button" class="button is-outlined" onClick={() => onCentre(node)}>
            To the middle
          </button>
        )}
        {(node.inside > 0 || node.frame >= 0) && (
          <button type="button" class="button is-outlined" onClick={() => onToggle(node)}>
            {node.inside > 0 ? "Open" : "Collapse its scope"}
          </button>
        )}
        {typeof query === "string" && (
          <button type="button" class="button is-outlined" onClick={() => context.goTo(null, null, query)}>
            Find in the timeline
          </button>
        )}
        <button
          type="button"
          class="button is-outlined"
          onClick={() => context.openPage("op_profile", { operation: node.name })}
        >
          Op profile
        </button>
        <button
          type="button"
          class="button is-outlined"
          onClick={() => context.openPage("memory_viewer", { program, buffers: "all" })}
        >
          Memory viewer
        </button>
      </div>
    </aside>
  );
}

function worded(column: ToolColumn, row: number, links: Links): string {
  const { digits, unit } = figureText(column, column.values[row] ?? null, links.time);
  return unit === "" ? digits : `${digits} ${unit}`;
}
