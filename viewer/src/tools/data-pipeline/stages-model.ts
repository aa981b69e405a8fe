/** The stages of data preparation of one rank, as the answer of `input_pipeline` has them. Pure. */

import type { ToolAnswer, ToolColumn } from "@tilescope/client";

export const STAGES = "data_stages";

/** A stage with the word of the server about it; null: not judged. */
export interface DataStage {
  readonly title: string;
  readonly verdict: string | null;
  readonly columns: readonly { readonly column: ToolColumn; readonly value: ToolColumn["values"][number] }[];
}

const SHOWN = ["in_doubt", "empty", "full", "steps", "mean"];

/** Ranks that have stages, by number; none where they are not numbered. */
export function ranksOf(answer: ToolAnswer): readonly string[] {
  const ranks = new Set(valuesOf(answer, "rank").map(String));
  return [...ranks].filter((rank) => /^\d+$/.test(rank));
}

/** Stages of the rank that is shown; none where the answer has no stages. */
export function stagesOf(answer: ToolAnswer): readonly DataStage[] {
  const rank = answer.facts.find(({ id }) => id === "data_rank")?.value;
  const ranks = valuesOf(answer, "rank");
  const titles = valuesOf(answer, "stage");
  const verdicts = valuesOf(answer, "verdict");
  const columns = answer.tables.find(({ id }) => id === STAGES)?.columns.filter(({ id }) => SHOWN.includes(id)) ?? [];
  return titles.flatMap((title, row) =>
    ranks[row] !== rank
      ? []
      : [
          {
            title: String(title),
            verdict: verdicts[row] === null ? null : String(verdicts[row]),
            columns: columns
              .map((column) => ({ column, value: column.values[row] ?? null }))
              .filter(({ value }) => value !== null),
          },
        ],
  );
}

function valuesOf(answer: ToolAnswer, id: string): ToolColumn["values"] {
  return answer.tables.find((table) => table.id === STAGES)?.columns.find((column) => column.id === id)?.values ?? [];
}
