/** An answer as a dashboard: what it says first, six figures, the chart beside the table that matters most, and all others below. */

import { useSignal } from "@preact/signals";
import type { ToolSeries, ToolTable } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { formatCount } from "../components/format";
import { choices } from "./answer-view";
import { ChartCard } from "./chart-card";
import { DataTable } from "./data-table";
import { FactCards, MissingFacts } from "./facts-cards";
import type { AnswerProps, RowOfTable } from "./links";
import { Headline, NotesList } from "./notes-list";

/** So many rows of a table are seen without scrolling it. */
const MOST_ROWS = 10;

/** The table that stands beside the chart: the first whose rows have names. Others, such as findings, say more of what the notes say. */
function mainTable(tables: readonly ToolTable[]): ToolTable | undefined {
  return tables.find(({ columns }) => columns.some(({ kind }) => kind === "name"));
}

/** `proposal`: what may be done about the answer at once, below what it says first. `picture`: a drawing of the page, below the charts. */
export function Dashboard({
  tool,
  answer,
  links,
  rangeText,
  proposal,
  picture,
}: AnswerProps & { readonly proposal?: ComponentChildren; readonly picture?: ComponentChildren }) {
  const { facts, tables, series, notes } = answer;
  const wanted = useSignal<RowOfTable | null>(null);
  const main = mainTable(tables);
  const isPair = main !== undefined && series.length === 1;
  const chartCard = (chart: ToolSeries) => (
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
  );
  const tableCard = (table: ToolTable) => (
    <div key={table.id} class="dashboard-table" style={{ "--rows": String(rowsOf(table)) }}>
      <DataTable
        head={<Head part={table} count={formatCount(table.columns[0]?.values.length ?? 0)} />}
        table={table}
        links={links}
        choices={choices(tool.id, table.id)}
        wanted={wanted.value?.table === table.id ? wanted.value : null}
        onMore={null}
        isNarrow={isPair && table === main}
      />
    </div>
  );
  return (
    <div class="answer is-dashboard" data-tool={tool.id}>
      <Headline answer={answer} links={links} />
      {proposal}
      <NotesList label="Findings" notes={notes.filter(({ severity }) => severity !== "info")} links={links} />
      <FactCards tool={tool.id} facts={facts} time={links.time} />
      {isPair ? (
        <div class="dashboard-pair">
          {chartCard(series[0]!)}
          {tableCard(main)}
        </div>
      ) : (
        series.length > 0 && (
          <div class={series.length > 1 ? "dashboard-charts is-many" : "dashboard-charts"}>{series.map(chartCard)}</div>
        )
      )}
      <MissingFacts facts={facts} />
      {picture}
      <NotesList label="Advice" notes={notes.filter(({ severity }) => severity === "info")} links={links} />
      {tables.filter((table) => !isPair || table !== main).map(tableCard)}
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
