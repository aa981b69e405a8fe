/** Figures of other tools by which rows are sorted: asked for when somebody chooses one. */

import type { ToolColumn, ToolTable } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import { useRequest } from "../../requests/use-request";
import { questionKey } from "../../state/question-key";
import type { PageContext } from "../contract";
import { figureOf } from "./fields";
import { sortColumns } from "./order";

export interface Sorting {
  /** Tables of the answer of the tool. */
  readonly tables: readonly ToolTable[];
  /** Columns of the tool's answer that can be chosen. */
  readonly columns: readonly ToolColumn[];
  /** The one that is; null where rows are not sorted by one, or it has not come. */
  readonly column: ToolColumn | null;
  /** Reason why there is none; null where there is none. */
  readonly problem: string | null;
}

const NO_TABLES: readonly ToolTable[] = [];

export function useSorting({ trace, inRange }: PageContext, sort: string): Sorting {
  const figure = figureOf(sort);
  // Of `pod` the table of cores is enough, whose rows a limit does not count.
  const question = figure === null ? null : inRange(figure.tool === "pod" ? { limit: "0" } : {});
  const key = figure === null || question === null ? "" : questionKey(trace.manifest, figure.tool, question);
  const ask = async (signal: AbortSignal) =>
    figure === null || question === null ? null : trace.api.ask(figure.tool, question, signal);
  const { state } = useRequest(key, ask);
  const answer = state.kind === "answered" ? state.answer : null;
  const tables = answer?.tables ?? NO_TABLES;
  const columns = useMemo(() => sortColumns(tables), [tables]);
  const column = columns.find(({ id }) => id === figure?.column) ?? (figure?.column === "" ? columns[0] : undefined);
  const isLacking = answer !== null && column === undefined;
  const lack = columns.length === 0 ? "no figures of tracks" : `no figure ${figure?.column}`;
  return {
    tables,
    columns,
    column: column ?? null,
    problem:
      state.kind === "failed" ? state.failure.message : isLacking ? `the tool ${figure?.tool} has ${lack}` : null,
  };
}
