/** Pages of tools that the rows of a table open, with the question that a row stands for. */

import { rowQuestion, type ToolTable } from "@tilescope/client";
import { TableIcon, TreeIcon } from "../components/icons";
import type { Links, RowWay } from "./links";

/** The ways, in their order; those to tools without a page are left out. */
export function pageWays(table: ToolTable, links: Pick<Links, "toolPage">): readonly RowWay[] {
  return (table.opens ?? []).flatMap((question) => {
    if (links.toolPage?.(question.tool) == null) {
      return [];
    }
    const fields = (row: number) => rowQuestion(table, question, row);
    return [
      {
        label: question.label,
        icon: question.tool === "call_tree" ? TreeIcon : TableIcon,
        leads: (row: number) => fields(row) !== null,
        go: (row: number) => links.toolPage?.(question.tool, fields(row) ?? {})?.open(),
      },
    ];
  });
}

/** True for a column that is there for the questions of its rows alone. */
export function isForPages({ opens }: ToolTable, { id, kind }: ToolTable["columns"][number]): boolean {
  return kind === "text" && (opens ?? []).some(({ columns }) => Object.values(columns).includes(id));
}
