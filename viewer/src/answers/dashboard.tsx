/** An answer as a dashboard: what it says first, figures, charts side by side, and each table below the other, open. */

import { useSignal } from "@preact/signals";
import type { ToolSeries, ToolTable } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { formatCount } from "../components/format";
import { choices } from "./answer-view";
import { ChartCard } from "./chart-card";
import { DataTable } from "./data-table";
import { FactCards } from "./facts-cards";
import type { AnswerProps, RowOfTable } from "./links";
import { NotesList } from "./notes-list";

/** So many rows of a table are seen without scrolling it. */
const MOST_ROWS = 10;

/** `proposal`: what may be done about the answer at once, below what it says first. */
export function Dashboard({
  tool,
  answer,
  links,
  rangeText,
  proposal,
}: AnswerProps & { readonly proposal?: ComponentChildren }) {
  const { facts, tables, series, notes } = answer;
  const wanted = useSignal<RowOfTable | null>(null);
  // The first note is what all comes to, however much it matters.
  const others = notes.slice(1);
  return (
    <div class="answer is-dashboard" data-tool={tool.id}>
      <NotesList label="The answer" notes={notes.slice(0, 1)} links={links} isHeadline={true} />
      {proposal}
      <NotesList label="Findings" notes={others.filter(({ severity }) => severity !== "info")} links={links} />
      {facts.length > 0 && <FactCards facts={facts} time={links.time} />}
      {series.length > 0 && (
        <div class={series.length > 1 ? "dashboard-charts is-many" : "dashboard-charts"}>
          {series.map((chart) => (
            <ChartCard
              key={chart.id}
              head={<Head part={chart} />}
              series={chart}
              tables={tables}
              choices={choices(tool.id, `chart ${chart.id}`)}
              onRow={(tableRow) => {
                wanted.value = tableRow;
              }}
              links={links}
              rangeText={rangeText}
            />
          ))}
        </div>
      )}
      <NotesList label="Advice" notes={others.filter(({ severity }) => severity === "info")} links={links} />
      {tables.map((table) => (
        <div key={table.id} class="dashboard-table" style={{ "--rows": String(rowsOf(table)) }}>
          <DataTable
            head={<Head part={table} count={formatCount(table.columns[0]?.values.length ?? 0)} />}
            table={table}
            links={links}
            choices={choices(tool.id, table.id)}
            wanted={wanted.value?.table === table.id ? wanted.value : null}
            onMore={null}
          />
        </div>
      ))}
    </div>
  );
}

/** Its rows, its header, and what stands below them. */
function rowsOf({ columns, totals, rest }: ToolTable): number {
  const count = Math.max(1, Math.min(MOST_ROWS, columns[0]?.values.length ?? 0));
  return count + 1 + (totals === null ? 0 : 1) + (rest === null ? 0 : 1);
}

function Head({ part, count = "" }: { readonly part: ToolSeries | ToolTable; readonly count?: string }) {
  return (
    <h2 class="tab-title">
      {part.title}
      {count !== "" && <span class="tab-count">{count}</span>}
    </h2>
  );
}
